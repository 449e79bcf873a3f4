"""docs/integrate.md: a stranger who pastes all of it has integrated."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from flask import Flask

from service.api.asked import Asked
from service.api.operator_auth import message_of
from service.api.problems import KINDS
from service.operators import signature
from service.wallet.schedule import PUBLISHED, RETRY_SECONDS
from tests.docs.page import Block, Page
from tests.support.postgres import fresh_home
from tests.support.waiting import until
from tests.support.wallet import free_port
from tests.tidy import ROOT

PAGE: Final = Page.of("integrate.md")
PROMISED: Final = (
    '"reference":"cash-1","balance":5000',
    '"launch_url":"http',
    '"maximum":2000,"since":',
    r"Certified: (\d+) of \1 passed",
    '"source":"wallet"',
    '"margin":',
    "All money has its cause, and every cause its money",
    "wagers 5.00 to 50.00 EUR, exposure 500.00 EUR",
    "stopped: palace",
    r"is ended; good: r-\w+ w-\w+",
    '"shuffler":"sandbox"',
    r'"status":"settled".*"hand":"1d"',
)
"""What the page's commands print, in words."""
PATIENCE: Final = 120
"""Seconds that a stranger has at most; the page takes some fifteen."""


def fact(name: str) -> str:
    """Return what the worked example says of something."""
    found = re.search(rf"^\| {name} \| `(.+)` \|$", PAGE.text, re.MULTILINE)
    assert found, name
    return found[1]


def test_worked_example_is_signed_as_it_says() -> None:
    method, target = fact("request").split()
    texts = [block.text for block in PAGE.blocks if block.language == "text"]
    signed, digest = texts[0].removesuffix("\n"), texts[1].strip()
    assert f"these {len(signed)} bytes" in PAGE.text
    about = {"RAW_URI": target}
    with Flask("page").test_request_context(
        target, method=method, data=fact("body"), environ_base=about
    ):
        asked = Asked("create_session", {})
        message = message_of(asked, fact("timestamp"), fact("nonce"))
    assert message == signed.encode()
    assert signature(fact("secret"), message) == digest


def test_retries_are_as_scheduled() -> None:
    told = re.search(r"\| then, and for all else \| after (.*), then every", PAGE.text)
    assert told
    minutes, seconds = 60, [int(n) for n in re.findall(r"\d+", told[1])]
    later = [n * minutes for n in seconds[3:]]
    assert (*seconds[:3], *later, 3600) == RETRY_SECONDS
    command, at_once = PUBLISHED.command, PUBLISHED.at_once
    assert f"{command.altogether:.0f} seconds in all" in PAGE.text
    assert f"each answer may take {command.answer:.0f}" in PAGE.text
    assert f"one try, {at_once.answer:.0f} seconds" in PAGE.text


def test_refusals_are_those_of_the_service() -> None:
    rows = re.findall(r"^\| [\d, ]+ \| (.*?) \|", PAGE.text, re.MULTILINE)
    codes = {code for row in rows for code in re.findall(r"`(\w+)`", row)}
    assert codes <= KINDS.keys()
    assert len(codes) > 15


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give what is printed to somebody who pastes the page, block by block."""
    folder = tmp_path_factory.mktemp("stranger")
    with fresh_home() as home:
        ports = {"8000": str(free_port()), "8100": str(free_port())}
        places = {"/tmp/upcard-trial": str(home.path)}  # noqa: S108 - the page's word
        page = PAGE.moved(**places, **ports, **{" --faults\n```": "\n```"})
        script = "\n".join(["set -u", *_script(page.blocks)])
        with _terminal(script, folder) as terminal:
            yield terminal.communicate(timeout=PATIENCE)[0]


def _script(blocks: list[Block]) -> Iterator[str]:
    """Yield what is pasted; what has a terminal of its own runs beside the rest."""
    for block in blocks:
        match (block.language, block.about):
            case ("sh", "server"):
                yield f"({block.text}) < /dev/null > /dev/null 2>&1 &"
            case ("sh", _):
                yield block.text
            case _:
                pass


@contextmanager
def _terminal(script: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("UPCARD_") and "DATABASE_URL" not in name
    }
    programs = f"{Path(sys.executable).parent}:{clean['PATH']}"
    bash = subprocess.Popen(
        ["bash", "-c", script],  # noqa: S607 - wherever the stranger has it
        cwd=ROOT,
        env={**clean, "PATH": programs, "HOME": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
    )
    try:
        yield bash
    finally:
        until(lambda: _ended(bash), "all terminals are closed")
        bash.communicate()


def _ended(bash: subprocess.Popen[str]) -> bool:
    """Ask all of a terminal's programs to end; tell whether they have."""
    try:
        os.killpg(bash.pid, signal.SIGTERM)
    except ProcessLookupError:
        return True
    bash.poll()  # or it would stay, as one that has ended
    return False


def test_page_can_be_pasted(printed: str) -> None:
    for promised in PROMISED:
        assert re.search(promised, printed), f"{promised} is not in:\n{printed}"
    assert printed.count('"status":"settled"') >= 2
    balances = re.findall('{"mode":"real".*"amount":0}', printed)
    assert len(balances) == 2, "bash and Python sign alike"


def test_nothing_but_the_stop_is_refused(printed: str) -> None:
    refused = set(re.findall(r'"code":"(\w+)"', printed))
    assert refused == {"player_stopped"}
    assert not re.search("error|usage", printed, re.IGNORECASE)
