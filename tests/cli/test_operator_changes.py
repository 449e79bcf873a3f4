"""`upcard operators set` and `remove`: what may be changed, and what must stay."""

import json
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from click.testing import CliRunner

from service.cli import main
from service.operators import refuse_sandboxes
from service.store.database import Database
from service.store.feed import BEGINNING
from service.store.keys import good_keys
from service.store.operators import all_operators
from service.store.significant import EVERYTHING, all_events
from tests.cli.test_operators import KEY, SECRET, WALLET, at_home, run

ELSEWHERE: Final = "https://elsewhere.example/w"
SESSION: Final = (
    "INSERT INTO session (account, session, operator, player, currency, mode, language,"
    " key, request, expires_at) VALUES (gen_random_uuid(), gen_random_uuid(), %s,"
    " 'tim', 'EUR', 'demo', 'en', 'key-0001', '', now() + interval '1 hour')"
)
DEPOSIT: Final = (
    "INSERT INTO ledger (account, entry, line, operator, player, mode, purpose,"
    " currency, side, amount, at) VALUES (gen_random_uuid(), gen_random_uuid(), 0, %s,"
    " 'ann', 'real', 'deposit', 'EUR', 'player', 5, now())"
)
CALL: Final = (
    "INSERT INTO transfer (account, transfer, operator, player, kind, purpose, round,"
    " ver, table_id, currency, amount, lines, status, made_at, next_try_at) VALUES"
    " (gen_random_uuid(), gen_random_uuid(), %s, 'ann', 'credit', 'settlement',"
    " gen_random_uuid(), 2, 'classic-three', 'EUR', 5, '[]', 'requested', now(), now())"
)


@pytest.fixture(autouse=True)
def environment(dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    at_home(dsn, monkeypatch, tmp_path)


def put(dsn: str, statement: str, name: str) -> None:
    """Leave something of an operator, as play would."""
    with psycopg.connect(dsn) as db:
        db.execute(statement.encode(), (name,))


def changes(dsn: str, name: str) -> list[tuple[Any, Any, str | None]]:
    """Return what was noted of an operator's changes."""
    owner = Database(dsn, role=None)
    sought = EVERYTHING._replace(kind="operator_changed")
    found = all_events(owner, name, sought, BEGINNING, 99)
    owner.close()
    return [
        (json.loads(one.before or b"null"), json.loads(one.after or b"null"), one.why)
        for one in found
    ]


def test_a_wallet_moves_to_another_address(dsn: str, database: Database) -> None:
    run("add", "casino", *WALLET)
    keys = good_keys(database)
    put(dsn, CALL, "casino")
    said = run("set", "casino", "--wallet-url", ELSEWHERE, "--why", "moved").output
    assert said == (
        f"casino: seamless {ELSEWHERE}\n1 calls to its wallet wait, and go there\n"
    )
    assert [row.wallet_url for row in all_operators(database)] == [ELSEWHERE]
    assert good_keys(database) == keys
    was, now = (
        {"wallet": "seamless", "wallet_url": u} for u in (WALLET[-1], ELSEWHERE)
    )
    assert changes(dsn, "casino") == [(was, now, "moved")]
    run("set", "casino", "--wallet-url", ELSEWHERE)
    assert len(changes(dsn, "casino")) == 1


def test_a_new_wallet_gets_a_key_and_an_old_one_may_go(database: Database) -> None:
    run("add", "casino")
    said = run("set", "casino", *WALLET).output
    (key,) = KEY.findall(said)
    assert len(SECRET.findall(said)) == 1
    assert key in {one.key_id for one in good_keys(database) if one.use == "wallet"}
    assert not SECRET.findall(run("set", "casino", *WALLET).output)
    assert run("set", "casino", "--wallet", "ledger").output == "casino: ledger\n"
    assert all_operators(database)[0].wallet_url is None


@pytest.mark.parametrize("trace", [DEPOSIT, CALL])
def test_who_keeps_real_money_does_not_change(
    dsn: str, database: Database, trace: str
) -> None:
    run("add", "casino", *WALLET)
    put(dsn, trace, "casino")
    before = all_operators(database)
    assert "stay with it" in run("set", "casino", "--wallet", "ledger", code=1).output
    assert all_operators(database) == before
    assert changes(dsn, "casino") == []


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (("casino",), "name --wallet-url, --wallet or both", 2),
        (("casino", "--wallet", "seamless"), "goes with a seamless wallet alone", 2),
        (("casino", "--wallet-url", "https://a"), "goes with a seamless wallet", 2),
        (("casino", "--wallet", "ledger", *WALLET[2:]), "goes with a seamless", 2),
        (("casino", "--wallet-url", "ftp://a"), "must be an http or https", 2),
        (("other", "--wallet-url", "https://a"), "there is no operator other", 1),
    ],
)
def test_what_makes_no_wallet_is_refused(
    dsn: str, words: tuple[str, ...], said: str, code: int
) -> None:
    run("add", "casino")
    assert said in run("set", *words, code=code).output
    assert changes(dsn, "casino") == []


def test_who_has_dealt_nothing_is_removed(dsn: str, database: Database) -> None:
    run("add", "casino", *WALLET)
    CliRunner().invoke(main, ["gaming", "stop", "--operator", "casino", "--why", "x"])
    removed = run("remove", "casino", "--why", "a typing error")
    assert removed.output == "casino is removed\n"
    assert (all_operators(database), good_keys(database)) == ([], [])
    assert database.read("SELECT FROM stop") == []
    is_ = {"sandbox": False, "retired": False}
    was = {"wallet": "seamless", "wallet_url": WALLET[-1], **is_}
    assert changes(dsn, "casino") == [(was, None, "a typing error")]
    assert "no operator casino" in run("remove", "casino", code=1).output
    run("add", "casino")


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        (SESSION, "casino has sessions, which stay with it"),
        (DEPOSIT, "casino has entries of real money, which"),
        (CALL, "casino has calls to its wallet, which"),
    ],
)
def test_whose_players_were_here_stays(
    dsn: str, database: Database, trace: str, said: str
) -> None:
    run("add", "casino")
    put(dsn, trace, "casino")
    refused = run("remove", "casino", code=1).output
    assert said in refused
    assert "upcard gaming stop --operator casino" in refused
    assert len(all_operators(database)) == len(good_keys(database)) == 1


def test_a_sandbox_that_was_played_in_is_retired(dsn: str, database: Database) -> None:
    run("add", "toys", "--sandbox")
    put(dsn, SESSION, "toys")
    said = run("remove", "toys").output
    assert said == "toys is retired: its keys and sessions have ended\n"
    assert good_keys(database) == []
    assert database.read("SELECT FROM session WHERE ended_at IS NULL") == []
    assert "retired" in run("list").output
    ((_, after, _),) = changes(dsn, "toys")
    assert after["retired"] is True
    refuse_sandboxes(all_operators(database))
    for words in (("remove", "toys"), ("keys", "rotate", "toys")):
        assert "there is no operator toys" in run(*words, code=1).output
    assert "there is an operator toys already" in run("add", "toys", code=1).output
