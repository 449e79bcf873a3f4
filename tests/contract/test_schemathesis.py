"""schemathesis finds nothing, and it has been everywhere.

Three bounded runs against the whole service. UPCARD_FUZZING_SEED and
UPCARD_FUZZING_SECONDS change what a run begins with and how long it may go on.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from service import shipped
from service.api.operations import read_document
from tests.contract.document import Document
from tests.contract.fuzzing.report import Report
from tests.contract.fuzzing.server import Served, served
from tests.support.money import assert_money_is_right
from tests.support.postgres import Postgres
from tests.support.proved import assert_all_is_proved
from tests.tidy import ROOT

SEED: Final = os.environ.get("UPCARD_FUZZING_SEED", "1")
SECONDS: Final = os.environ.get("UPCARD_FUZZING_SECONDS", "45")
SETTLED: Final = 50
CONFIGURATION: Final = ROOT / "tests" / "contract" / "fuzzing" / "schemathesis.toml"
CONTRACT: Final = Document(read_document(shipped("openapi.yaml")))
OPERATIONS: Final = {
    (place.method.upper(), place.path) for place in CONTRACT.operations
}


@pytest.fixture
def service(postgres: Postgres, tmp_path: Path) -> Iterator[Served]:
    with postgres.copy() as dsn, served(dsn, tmp_path) as service:
        yield service


def run(service: Served, folder: Path, phases: str, *limits: str) -> Report:
    """Run schemathesis; everything it finds, and warns of, is a failure."""
    report = folder / "report.ndjson"
    command: list[str | Path] = [
        *(sys.executable, "-m", "schemathesis.cli"),
        *("--config-file", CONFIGURATION, "run", shipped("openapi.yaml")),
        *("--url", service.url, "--phases", phases, "--seed", SEED, *limits),
        *("--report", "ndjson", "--report-ndjson-path", report, "--no-color"),
    ]
    environment = {
        **os.environ,
        "UPCARD_FUZZING_AUTH": str(service.auth),
        "UPCARD_FUZZING_PEOPLE": str(service.people),
        "UPCARD_FUZZING_URL": service.url,
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        command,
        env=environment,
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    # The service sees its own faults too: an answer that breaks the contract, a trace.
    logged = service.log.read_text("utf-8").splitlines()
    assert [line for line in logged if '"level":"error"' in line] == []
    # And every movement of money has its cause, every cause its movement.
    assert_money_is_right(service.dsn)
    assert_all_is_proved(service.dsn, service.auth.parent / "shoe-keys.json")
    return Report(report)


def all_links() -> set[str]:
    """Return every link of the contract as schemathesis names it."""
    labels = {p.name: f"{p.method.upper()} {p.path}" for p in CONTRACT.operations}
    return {
        f"{labels[place.name]} -> [{status}] {name} -> "
        f"{labels[CONTRACT.whole(link)['operationId']]}"
        for place, status, answer in CONTRACT.answers
        for name, link in answer.get("links", {}).items()
    }


def test_examples_and_limits(service: Served, tmp_path: Path) -> None:
    report = run(service, tmp_path, "examples,coverage")
    assert report.succeeded == OPERATIONS


def test_fuzzing(service: Served, tmp_path: Path) -> None:
    report = run(service, tmp_path, "fuzzing", "--max-time", SECONDS)
    assert report.succeeded == OPERATIONS


def test_whole_rounds(service: Served, tmp_path: Path) -> None:
    report = run(service, tmp_path, "stateful", "--max-time", SECONDS)
    assert report.links == all_links()
    assert report.settled >= SETTLED
