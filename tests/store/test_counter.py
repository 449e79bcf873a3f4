"""A database that was restored from a dump goes on with higher transaction numbers."""

import psycopg
import pytest

from service.store import counter
from service.store.database import Database
from service.store.errors import DatabaseUnavailable, SchemaWrong
from tests.support.samples import opened

FAR = 3_000

# What a dump brings along, as if it were of a server that had come further.
_OPERATOR = """
INSERT INTO operator (operator, wallet, wallet_url, sandbox)
VALUES ('acme', 'ledger', NULL, false)
"""
_EVENT = """
INSERT INTO significant_event (event, kind, at, who, tx)
VALUES (gen_random_uuid(), 'seal_made', now(), 'job', %s)
"""
_SEAL = """
INSERT INTO seal (seal, day, made_at, before, leaves, root, previous, key_id,
    public_key, signature)
VALUES (1, '2026-01-01', now(), %s, 0, sha256(''), sha256(''), 'k1', '', '')
"""
_LEDGER = """
INSERT INTO ledger (account, entry, line, operator, player, mode, purpose, currency,
    side, amount, at, tx)
VALUES (gen_random_uuid(), gen_random_uuid(), 1, 'acme', 'ann', 'demo', 'deposit',
    'EUR', 'player', 1, now(), %s)
"""
_TRANSFER = """
INSERT INTO transfer (account, transfer, operator, player, kind, purpose, round, ver,
    table_id, currency, amount, lines, status, made_at, tx)
VALUES (gen_random_uuid(), gen_random_uuid(), 'acme', 'ann', 'credit', 'settlement',
    gen_random_uuid(), 2, 'a-table', 'EUR', 1, '[]', 'confirmed', now(), %s)
"""
_LOG = """
INSERT INTO log (account, round, ver, player, at, key, req, data, hash, tx)
SELECT account, round, 9, player, at, 'key-00009', req, data, hash, %s FROM log
"""
ROWS = {"event": _EVENT, "seal": _SEAL, "ledger": _LEDGER, "transfer": _TRANSFER}


def bring(dsn: str, statement: str, ahead: int) -> int:
    """Write a row with a number so far ahead; return the number."""
    with psycopg.connect(dsn) as owner:
        ((present,),) = owner.execute("SELECT pg_current_xact_id()::text").fetchall()
        number = int(present) + ahead
        owner.execute(statement.encode(), [str(number)])
    return number


@pytest.fixture(autouse=True)
def operator(dsn: str) -> None:
    with psycopg.connect(dsn) as owner:
        owner.execute(_OPERATOR)


@pytest.mark.parametrize("kind", ROWS)
def test_what_is_written_after_a_restore_comes_after_what_there_was(
    dsn: str, database: Database, kind: str
) -> None:
    counter.check(database)
    number = bring(dsn, ROWS[kind], FAR)
    with pytest.raises(SchemaWrong, match=r"restored from a dump.* upcard migrate"):
        counter.check(database)
    said: list[str] = []
    counter.catch_up(dsn, said.append)
    assert len(said) == 1
    counter.check(database)
    ((first,),) = database.read("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")
    assert int(first) >= number
    counter.catch_up(dsn, said.append)
    assert len(said) == 1, "nothing is left to do"


def test_no_row_of_the_log_is_ahead_either(dsn: str, database: Database) -> None:
    opened(database)
    bring(dsn, _EVENT, FAR)
    number = bring(dsn, _LOG, 2 * FAR)
    counter.catch_up(dsn, lambda _: None)
    opened(database)
    ((last,),) = database.read("SELECT max(tx::text::bigint) FROM log WHERE ver = 1")
    assert last > number


def test_a_server_too_far_behind_is_told_apart(dsn: str) -> None:
    bring(dsn, _EVENT, counter.MOST + FAR)
    with pytest.raises(SchemaWrong, match="pg_resetwal"):
        counter.catch_up(dsn, lambda _: None)


def test_a_server_that_is_away_is_told_of() -> None:
    with pytest.raises(DatabaseUnavailable):
        counter.catch_up("host=/nowhere", lambda _: None)
