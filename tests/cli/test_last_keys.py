"""`upcard operators keys`: what the last key of a kind may do, and who has none."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.changes import Actor, LastWalletKey, end_key
from service.store.database import Database
from service.store.keys import good_keys
from tests.cli.test_operators import KEY, SECRET, WALLET, at_home, run

BY_HAND = Actor("cli:ann")


@pytest.fixture(autouse=True)
def environment(dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    at_home(dsn, monkeypatch, tmp_path)


def test_the_last_request_key_may_be_ended_and_it_is_said() -> None:
    (key,) = KEY.findall(run("add", "casino").output)
    assert run("keys", "end", "casino", key).output == (
        f"{key} is ended; good: none\n"
        "casino can ask for nothing any more, until you: "
        "upcard operators keys rotate casino\n"
    )


def test_the_last_wallet_key_is_not_ended(database: Database) -> None:
    request, wallet = KEY.findall(run("add", "casino", *WALLET).output)
    said = run("keys", "end", "casino", wallet, code=1).output
    assert f"only {wallet} signs the calls to the wallet of casino" in said
    assert "upcard operators keys rotate casino --use wallet" in said
    assert {key.key_id for key in good_keys(database)} == {request, wallet}
    (new,) = KEY.findall(run("keys", "rotate", "casino", "--use", "wallet").output)
    ended = run("keys", "end", "casino", wallet).output
    assert ended == f"{wallet} is ended; good: {request} {new}\n"


def test_of_two_who_end_both_wallet_keys_one_does(dsn: str, database: Database) -> None:
    (_, first) = KEY.findall(run("add", "casino", *WALLET).output)
    (second,) = KEY.findall(run("keys", "rotate", "casino", "--use", "wallet").output)

    def ending(key: str) -> Callable[[], bool]:
        def end() -> bool:
            owner = Database(dsn, role=None)
            try:
                return end_key(owner, BY_HAND, "casino", key)
            except LastWalletKey:
                return False
            finally:
                owner.close()

        return end

    with ThreadPoolExecutor(2) as pool:
        ends = [pool.submit(ending(key)) for key in (first, second)]
        assert sorted(end.result() for end in ends) == [False, True]
    assert [key.use for key in good_keys(database)] == ["request", "wallet"]


def test_who_has_no_wallet_gets_no_key_for_one(database: Database) -> None:
    run("add", "casino")
    said = run("keys", "rotate", "casino", "--use", "wallet", code=1).output
    assert "casino has no wallet to sign for" in said
    assert not SECRET.search(said)
    assert [key.use for key in good_keys(database)] == ["request"]
