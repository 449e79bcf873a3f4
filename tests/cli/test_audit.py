"""Each command that changes something leaves one event: who, why, before and after."""

import json
import os
import pwd
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from service.cli import main
from service.tablefile import shipped_tables
from tests.cli.test_operators import at_home
from tests.support.waiting import until

WHO: Final = f"cli:{pwd.getpwuid(os.getuid()).pw_name}"
WHY: Final = ("--why", "for a test")


@pytest.fixture(autouse=True)
def environment(dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    at_home(dsn, monkeypatch, tmp_path)


def run(*words: str) -> str:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    return result.output


class Audit:
    """What `upcard events` tells, as it grows."""

    def __init__(self) -> None:
        self._seen = 0

    def new(self, count: int) -> list[dict[str, object]]:
        """Return what is new; it must be so much."""
        found: list[dict[str, object]] = []

        def read() -> bool:
            lines = run("events", "--all", "--json").splitlines()
            found[:] = [json.loads(line) for line in lines][self._seen :]
            return len(found) >= count

        until(read, f"{count} events")
        assert len(found) == count, found
        self._seen += count
        return found


def test_each_change_is_told_once(tmp_path: Path) -> None:
    audit = Audit()
    run("tables", "load", *WHY)
    for event in audit.new(len(list(shipped_tables()))):
        assert (event["kind"], event["operator"]) == ("table_loaded", None)
        assert (event["who"], event["why"]) == (WHO, "for a test")
        assert event["before"] is None
    run("tables", "load")
    audit.new(0)
    source, text = next(iter(shipped_tables()))
    file = tmp_path / source
    file.write_text(text.replace('title = "', 'title = "Another '), "utf-8")
    run("tables", "load", str(file))
    (event,) = audit.new(1)
    assert list(event["before"]) == list(event["after"]) == ["table_version"]  # type: ignore[call-overload]  # JSON
    assert event["before"] != event["after"]
    assert event["why"] is None

    run("operators", "add", "palace", *WHY)
    added, key = audit.new(2)
    assert (added["kind"], added["operator"]) == ("operator_added", "palace")
    assert (added["before"], added["why"]) == (None, "for a test")
    assert added["after"]["wallet"] == "ledger"  # type: ignore[index]  # JSON
    assert key["kind"] == "key_added"
    said = run("operators", "keys", "rotate", "palace")
    (rotated,) = audit.new(1)
    name = rotated["after"]["key_id"]  # type: ignore[index]  # JSON
    assert (rotated["kind"], rotated["after"]) == (
        *("key_added", {"key_id": name, "use": "request"}),
    )
    assert name in said
    secret = said.strip().rpartition(" ")[2]
    run("operators", "keys", "end", "palace", name, *WHY)
    (ended,) = audit.new(1)
    assert (ended["kind"], ended["before"]) == (
        *("key_ended", {"key_id": name, "good": True}),
    )
    assert secret not in json.dumps([added, key, rotated, ended])


def test_each_stop_and_each_offer_is_told_once() -> None:
    run("operators", "add", "palace")
    run("tables", "load")
    audit = Audit()
    audit.new(2 + len(list(shipped_tables())))
    about = ("classic-three", "USD")
    for command, kind, before, after in (
        (("gaming", "stop", *WHY), "gaming_stopped", None, {"why": "for a test"}),
        (("gaming", "start"), "gaming_started", {"why": "for a test"}, None),
        (
            ("players", "block", "palace", "ann", *WHY),
            *("player_stopped", None, {"why": "for a test"}),
        ),
        (
            ("players", "unblock", "palace", "ann"),
            *("player_started", {"why": "for a test"}, None),
        ),
    ):
        run(*command)
        (event,) = audit.new(1)
        assert (event["kind"], event["who"]) == (kind, WHO)
        assert (event["before"], event["after"]) == (before, after)
    run("operators", "tables", "palace", *about)
    run("gaming", "start")
    run("players", "unblock", "palace", "ann")
    audit.new(0)
    run("operators", "tables", "palace", *about, "--maximum", "50")
    run("operators", "tables", "palace", *about, "--reset")
    changed, reset = audit.new(2)
    assert (changed["kind"], changed["operator"]) == ("offer_changed", "palace")
    assert changed["before"] == reset["after"]
    assert changed["after"] == reset["before"]
    assert changed["after"]["maximum"] == 5_000  # type: ignore[index]  # JSON
