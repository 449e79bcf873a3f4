"""`upcard migrate` as an operator types it."""

from collections.abc import Iterator

import pytest
from click.testing import CliRunner, Result

from service import shipped
from service.cli import main
from tests.support.postgres import Postgres


@pytest.fixture
def empty(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the environment name a database without a schema."""
    with postgres.copy(empty=True) as dsn:
        parts = dict(part.split("=", 1) for part in dsn.split())
        url = f"postgresql://{parts['user']}@/{parts['dbname']}?host={parts['host']}"
        monkeypatch.setenv("DATABASE_URL", url)
        yield


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["migrate", *words])


@pytest.mark.usefixtures("empty")
def test_it_tells_what_is_pending_runs_it_and_has_nothing_more_to_do() -> None:
    before = run("--check")
    assert before.exit_code == 1
    names = sorted(path.stem for path in shipped("migrations").glob("*.sql"))
    assert names[:2] == ["0001_service_role", "0002_rounds"]
    assert before.output.splitlines() == [f"pending: {name}" for name in names]
    done = run()
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        *(f"done: {name}" for name in names),
        "the schema is that of this version",
    ]
    for again in (run("--check"), run()):
        assert again.exit_code == 0
        assert again.output == "the schema is that of this version\n"


def test_a_wrong_environment_is_told_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", "sqlite:///upcard.db")
    monkeypatch.setenv("UPCARD_WORKERS", "0")
    said = run()
    assert said.exit_code == 1
    assert said.output.splitlines() == [
        "Error: the environment is wrong:",
        "  DATABASE_URL: must be postgresql://USER:PASSWORD@HOST:PORT/DATABASE",
        "  UPCARD_WORKERS: must be a whole number from 1 to 64",
    ]


def test_a_database_that_is_away_is_told_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://ann:hunter2@127.0.0.1:1/upcard")
    said = run()
    assert said.exit_code == 1
    assert said.output.startswith("Error: connection")
    assert "hunter2" not in said.output
