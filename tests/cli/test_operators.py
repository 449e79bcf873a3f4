"""`upcard operators` as an engineer types it, on a real database."""

import re
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

from service.cli import main
from service.keyfile import KeyFile
from service.operators import OperatorKeys
from service.sealing import KeyRing
from service.store.database import Database
from service.store.operators import OperatorRow, all_operators

SECRET: Final = re.compile(r"^secret, shown once: ([0-9a-f]{64})$", re.MULTILINE)
KEY: Final = re.compile(r"^casino/(\S+) ", re.MULTILINE)
WALLET: Final = ("--wallet", "seamless", "--wallet-url", "https://casino.example/w")


@pytest.fixture(autouse=True)
def environment(dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    at_home(dsn, monkeypatch, tmp_path)


def at_home(dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let commands work on a database, with keys of its own."""
    parts = {key: str(value) for key, value in conninfo_to_dict(dsn).items()}
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(parts)}")
    monkeypatch.setenv("UPCARD_HOME", str(tmp_path))
    for name in ("shoe", "token", "seal"):
        path = tmp_path / f"{name}-keys.json"
        path.write_text(KeyFile.fresh_text("k1"))
        monkeypatch.setenv(f"UPCARD_{name.upper()}_KEYS", str(path))


def run(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["operators", *words])
    assert result.exit_code == code, result.output
    return result


def keys_in(database: Database, tmp_path: Path) -> OperatorKeys:
    return OperatorKeys(database, KeyRing.from_file(tmp_path / "shoe-keys.json"))


def test_add_prints_a_key_that_is_good(database: Database, tmp_path: Path) -> None:
    said = run("add", "casino").output
    (secret,), (key,) = SECRET.findall(said), KEY.findall(said)
    assert keys_in(database, tmp_path).secret("casino", key, "request") == secret
    row = OperatorRow("casino", "ledger", None, sandbox=False)
    assert all_operators(database) == [row]


def test_no_secret_is_kept_in_the_open(dsn: str, database: Database) -> None:
    (secret,) = SECRET.findall(run("add", "casino").output)
    owner = Database(dsn, role=None)
    ((row,),) = owner.read("SELECT row_to_json(operator_key)::text FROM operator_key")
    owner.close()
    for kept in (str(row), run("list").output, str(database)):
        assert secret not in kept
        assert secret.encode().hex() not in kept


def test_a_seamless_operator_has_a_key_for_its_wallet(
    database: Database, tmp_path: Path
) -> None:
    said = run("add", "casino", *WALLET).output
    ours, theirs = SECRET.findall(said)
    request, wallet = KEY.findall(said)
    keys = keys_in(database, tmp_path)
    assert keys.secret("casino", request, "request") == ours
    assert keys.secret("casino", wallet, "wallet") == theirs
    assert keys.secret("casino", wallet, "request") is None
    assert all_operators(database)[0].wallet_url == "https://casino.example/w"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a/b",), "NAME is 1 to 64"),
        (("*",), "NAME is 1 to 64"),
        (("",), "NAME is 1 to 64"),
        (("casino", "--wallet", "seamless"), "--wallet-url goes with"),
        (("casino", "--wallet-url", "https://a"), "--wallet-url goes with"),
        (("casino", *WALLET[:3], "ftp://a"), "must be an http or https address"),
        (("casino", *WALLET[:3], "https://a b"), "must be an http or https address"),
        (("casino", *WALLET[:3], "https://u:pw@a/w"), "without a password"),
        (("casino", *WALLET[:3], "https://a/w?key=pw"), "without a password"),
    ],
)
def test_what_makes_no_operator_is_refused(
    database: Database, words: tuple[str, ...], said: str
) -> None:
    assert said in run("add", *words, code=2).output
    assert all_operators(database) == []


def test_a_name_is_added_once(database: Database) -> None:
    run("add", "casino")
    again = run("add", "casino", "--sandbox", code=1)
    assert "there is an operator casino already" in again.output
    assert not SECRET.search(again.output)
    assert [row.sandbox for row in all_operators(database)] == [False]


def test_production_adds_no_sandbox(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("add", "tester", "--sandbox")
    monkeypatch.setenv("UPCARD_ENV", "production")
    monkeypatch.setenv("UPCARD_LAUNCH_URL", "https://play.example")
    refused = run("add", "other", "--sandbox", code=1)
    assert "production serves no sandbox operator" in refused.output
    run("add", "casino")
    names = [(row.operator, row.sandbox) for row in all_operators(database)]
    assert names == [("casino", False), ("tester", True)]


def test_list_shows_operators_and_good_keys() -> None:
    run("add", "tester", "--sandbox")
    (key,) = KEY.findall(run("add", "casino", "--wallet", "ledger").output)
    lines = run("list").output.splitlines()
    assert lines[0].split()[:4] == ["operator", "wallet", "sandbox", "keys"]
    assert lines[1].split() == ["casino", "ledger", "no", key]
    assert lines[2].split()[:3] == ["tester", "ledger", "yes"]


def test_list_cuts_nothing_off() -> None:
    said = run("add", "casino", *WALLET).output
    said += run("keys", "rotate", "casino", "--use", "wallet").output
    listed = run("list").output.splitlines()[1].split()
    assert listed == ["casino", "seamless", "no", *KEY.findall(said), WALLET[-1]]


def test_keys_are_rotated_without_a_gap(database: Database, tmp_path: Path) -> None:
    first = run("add", "casino").output
    second = run("keys", "rotate", "casino").output
    (old, new) = (KEY.findall(said)[0] for said in (first, second))
    assert f"upcard operators keys end casino {old}" in second
    keys = keys_in(database, tmp_path)
    for key, said in ((old, first), (new, second)):
        assert keys.secret("casino", key, "request") == SECRET.findall(said)[0]
    third = run("keys", "rotate", "casino", code=1).output
    assert f"{old} and {new} are good; end one of them first" in third
    assert f"{old} is ended; good: {new}" in run("keys", "end", "casino", old).output
    keys = keys_in(database, tmp_path)
    assert keys.secret("casino", old, "request") is None
    assert keys.secret("casino", new, "request") is not None
    run("keys", "rotate", "casino")


def test_a_new_wallet_key_signs_when_the_old_one_is_ended(
    database: Database, tmp_path: Path
) -> None:
    added = run("add", "casino", *WALLET).output
    (_, old), (_, old_key) = SECRET.findall(added), KEY.findall(added)
    said = run("keys", "rotate", "casino", "--use", "wallet").output
    (new,) = SECRET.findall(said)
    assert keys_in(database, tmp_path).current("casino", "wallet") == old
    assert f"keys end casino {old_key}" in said
    run("keys", "end", "casino", old_key)
    assert keys_in(database, tmp_path).current("casino", "wallet") == new


def test_what_is_not_there_is_said() -> None:
    run("add", "casino")
    assert "no operator other" in run("keys", "rotate", "other", code=1).output
    end = run("keys", "end", "casino", "r-1", code=1)
    assert "casino has no key r-1 that is good" in end.output
    assert "no operator other" in run("keys", "end", "other", "r-1", code=1).output


def test_serve_refuses_a_sandbox_in_production(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run("add", "tester", "--sandbox")
    monkeypatch.setenv("UPCARD_ENV", "production")
    monkeypatch.setenv("UPCARD_LAUNCH_URL", "https://play.example")
    monkeypatch.setenv("UPCARD_BIND", "127.0.0.1:0")
    result = CliRunner().invoke(main, ["serve"])
    assert result.exit_code == 1
    assert "production serves no sandbox operator; there is tester" in result.output
    assert "starting 2 workers" not in result.output
