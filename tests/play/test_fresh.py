"""A key or an operator that was added a moment ago is known a moment later."""

from collections.abc import Iterator

import pytest

from service.keyfile import KeyFile
from service.operators import UNKNOWN_SECONDS, OperatorKeys, new_key
from service.sealing import KeyRing
from service.store.database import Database
from service.store.keys import add_key
from service.store.operators import OperatorRow, add_operator
from service.wallet.calls import Calls
from service.wallet.wallets import OperatorUnknown, Wallets
from tests.wallet.casino import Log

NEW = OperatorRow("new", "ledger", None, sandbox=False)


class Clock:
    """A clock that a test moves on."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def owner(dsn: str) -> Iterator[Database]:
    owner = Database(dsn, role=None)
    yield owner
    owner.close()


def test_a_new_key_is_known_soon(database: Database, owner: Database) -> None:
    clock = Clock()
    ring = KeyRing.from_text(KeyFile.fresh_text("k1"), "a key file")
    keys = OperatorKeys(database, ring, clock)
    key, secret = new_key(ring, "new", "request")
    assert keys.secret("new", key.key_id, "request") is None
    add_key(owner, key)
    clock.now += UNKNOWN_SECONDS - 0.01
    assert keys.secret("new", key.key_id, "request") is None
    clock.now += 0.01
    assert keys.secret("new", key.key_id, "request") == secret


def test_a_new_operator_is_known_soon(database: Database, owner: Database) -> None:
    clock = Clock()
    ring = KeyRing.from_text(KeyFile.fresh_text("k1"), "a key file")
    calls = Calls(OperatorKeys(database, ring), Log().logger)
    wallets = Wallets(database, calls, clock)
    with pytest.raises(OperatorUnknown):
        wallets.operator("new")
    add_operator(owner, NEW)
    clock.now += UNKNOWN_SECONDS
    assert wallets.operator("new") == NEW
