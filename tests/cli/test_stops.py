"""`upcard gaming` and `upcard players`, on a real database."""

from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner
from psycopg.conninfo import conninfo_to_dict

from service.api.tokens import account_of
from service.chance import new_id
from service.cli import main
from service.store.database import Database
from service.store.operators import OperatorRow, add_operator
from service.store.sessions import Launch, find_session, open_session
from service.store.standing import who_is_stopped

WHY: Final = ("--why", "a test")


@pytest.fixture(autouse=True)
def environment(dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    parts = {key: str(value) for key, value in conninfo_to_dict(dsn).items()}
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(parts)}")
    monkeypatch.setenv("UPCARD_HOME", str(tmp_path))
    owner = Database(dsn, role=None)
    for name in ("casino", "other"):
        add_operator(owner, OperatorRow(name, "ledger", None, sandbox=False))
    owner.close()


@pytest.mark.parametrize(
    "command", [["gaming", "stop"], ["players", "block", "casino", "ann"]]
)
def test_what_takes_something_away_needs_a_reason(
    database: Database, command: list[str]
) -> None:
    assert "Missing option '--why'" in run(*command, code=2)
    assert "one line" in run(*command, "--why", "a\nb", code=2)
    assert "one line" in run(*command, "--why", "x" * 201, code=2)
    assert who_is_stopped(database, "casino", "ann") is None


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == code, result.output
    return result.output


def test_all_gaming_is_stopped_and_started(database: Database) -> None:
    assert run("gaming", "stop", "--why", "a fire") == "stopped: everybody\n"
    assert who_is_stopped(database, "casino", "ann") == "everybody"
    assert run("gaming", "stop", *WHY) == "stopped: everybody\n"
    assert run("gaming", "start") == "started: everybody\n"
    assert who_is_stopped(database, "casino", "ann") is None
    assert run("gaming", "start") == "was not stopped: everybody\n"


def test_one_operators_gaming_is_stopped(database: Database) -> None:
    assert run("gaming", "stop", "--operator", "casino", *WHY) == "stopped: casino\n"
    assert who_is_stopped(database, "casino", "ann") == "operator"
    assert who_is_stopped(database, "other", "ann") is None
    assert run("gaming", "start") == "was not stopped: everybody\n"
    assert run("gaming", "start", "--operator", "casino") == "started: casino\n"
    assert who_is_stopped(database, "casino", "ann") is None
    refused = run("gaming", "stop", "--operator", "nobody", *WHY, code=1)
    assert "there is no operator nobody" in refused


def test_the_reason_is_kept(dsn: str) -> None:
    run("gaming", "stop", "--why", "a fire")
    owner = Database(dsn, role=None)
    assert owner.read("SELECT operator, player, why FROM stop") == [
        ("*", "*", "a fire")
    ]
    owner.close()


def test_a_player_is_blocked_and_unblocked(database: Database) -> None:
    said = run("players", "block", "casino", "ann", *WHY)
    assert said == "ann of casino is blocked (never seen here: check the name)\n"
    assert who_is_stopped(database, "casino", "ann") == "player"
    assert who_is_stopped(database, "other", "ann") is None
    assert run("players", "unblock", "casino", "ann") == "ann of casino is unblocked\n"
    assert who_is_stopped(database, "casino", "ann") is None
    again = run("players", "unblock", "casino", "ann")
    assert again == "ann of casino was not blocked\n"
    account = account_of("casino", "ann", "demo")
    who = (account, new_id(), "casino", "ann", "USD", "demo")
    open_session(database, Launch(*who, None, "en", None, new_id(), bytes(32), 60))
    assert (
        run("players", "block", "casino", "ann", *WHY) == "ann of casino is blocked\n"
    )


@pytest.mark.parametrize("words", [("nobody", "ann"), ("casino", "*"), ("*", "ann")])
def test_who_is_not_there_is_not_blocked(
    database: Database, words: tuple[str, str]
) -> None:
    result = CliRunner().invoke(main, ["players", "block", *words, *WHY])
    assert result.exit_code in {1, 2}
    assert who_is_stopped(database, "casino", "ann") is None


def test_all_of_a_players_sessions_are_ended(database: Database) -> None:
    def launched(player: str) -> tuple[str, str]:
        account = new_id()
        who = (account, new_id(), "casino", player, "USD", "real")
        launch = Launch(*who, None, "en", None, new_id(), bytes(32), 60)
        return account, open_session(database, launch)[0].session_id

    sessions = [launched("ann"), launched("ann"), launched("ben")]
    assert run("players", "end-sessions", "casino", "ann") == "ann of casino: 2 ended\n"
    found = [find_session(database, *session) for session in sessions]
    assert [one.is_over(now) for now, one in found if one] == [True, True, False]
    assert run("players", "end-sessions", "casino", "ann") == "ann of casino: 0 ended\n"


@pytest.mark.parametrize(
    "words",
    [
        ("gaming", "start", "--operator", "nobody"),
        ("gaming", "stop", "--operator", "nobody", *WHY),
        ("players", "block", "nobody", "ann", *WHY),
        ("players", "unblock", "nobody", "ann"),
        ("players", "end-sessions", "nobody", "ann"),
        ("events", "--operator", "nobody"),
    ],
    ids=" ".join,
)
def test_an_operator_that_is_not_there_is_told(words: tuple[str, ...]) -> None:
    assert run(*words, code=1) == "Error: there is no operator nobody\n"


def test_events_are_told_as_people_read_them() -> None:
    run("gaming", "stop", *WHY)
    said = " ".join(run("events", "--all").split())
    assert "why: nothing -> a test" in said
    assert "None" not in said


MALFUNCTION: Final = ("malfunction", "--table", "classic-three", "--dry-run", *WHY)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--version", "1", "--from", "2026-03-02", "--to", "2026-03-02"),
            "--from must be before --to",
        ),
        (
            ("--version", "", "--from", "2026-03-01", "--to", "2026-03-02"),
            "--version is the version, or its first letters",
        ),
    ],
)
def test_no_span_and_no_version_are_refused(
    options: tuple[str, ...], said: str
) -> None:
    assert said in run(*MALFUNCTION, *options, code=2)
