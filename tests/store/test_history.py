"""A player's past is read with one statement a page, along an index of its own."""

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Final

import psycopg
import pytest

from service.chance import new_id
from service.store import history
from service.store.database import Database
from service.store.history import NEWEST, Place, Sought, past_rounds
from service.store.instant import Instant
from service.store.rows import LogRow
from service.store.writes import append_and_project, open_round
from tests.support.postgres import Postgres
from tests.support.samples import AT, SHOE, first_row, next_row, opened, round_row
from tests.support.sent import wire

Owner = psycopg.Connection[tuple[str]]
ACCOUNT: Final = "00000000-0000-8000-8000-000000000001"
FILL: Final = """
INSERT INTO round (account, round, log_account, table_id, table_version, currency,
    status, opened_at, expires_at, closed_at, stake, payout, operator, mode, ended_by)
SELECT account, gen_random_uuid(), account, 'table-' || n % 4, 'v',
    CASE n % 2 WHEN 0 THEN 'EUR' ELSE 'USD' END,
    CASE WHEN n % 1000 = 0 THEN 'void' ELSE 'settled' END,
    now() - n * interval '1 minute', now(), now(), 100, n % 3 * 100, 'dev', 'real',
    CASE WHEN n % 1000 = 500 THEN 'job' ELSE 'player' END
FROM generate_series(1, 20000) AS n, LATERAL (
    SELECT CASE WHEN n % 2 = 0 THEN uuid '00000000-0000-8000-8000-000000000001'
        ELSE gen_random_uuid() END AS account
) AS whose;
INSERT INTO log (account, round, ver, player, at, key, req, data, hash)
SELECT account, round, ver, 'ann', now(), round || '-' || ver, '', '{}', sha256('')
FROM round, generate_series(1, 5) AS ver;
INSERT INTO transfer (account, transfer, operator, player, kind, purpose, round, ver,
    table_id, currency, amount, lines, status, made_at)
SELECT account, gen_random_uuid(), operator, 'ann', 'debit', 'deal', round, 1, table_id,
    'USD', 100, '[]', 'confirmed', now()
FROM round;
"""


def closed(database: Database, account: str, at: int = AT) -> list[LogRow]:
    """Store a round with two rows that has ended; give them."""
    row = first_row(account, f"key-{new_id()}")._replace(at=at)
    open_round(database, SHOE, row, round_row(row))
    last = next_row(row, f"key-{new_id()}")
    ended = round_row(row)._replace(
        status="settled", closed_at=last.at, payout=0, ended_by="player"
    )
    append_and_project(database, last, ended)
    return [row, last]


def test_a_page_brings_each_round_with_its_log(database: Database) -> None:
    account = new_id()
    rounds = [closed(database, account) for _ in range(3)]
    opened(database, account)
    rounds.sort(key=lambda rows: rows[0].round_id, reverse=True)
    page = past_rounds(database, account, Sought(), NEWEST, 2)
    assert [one.rows for one in page] == rounds[:2]
    assert [one.round.closed_at for one in page] == [AT + 1] * 2
    last = page[-1].round
    place = Place(last.opened_at, last.round_id)
    (rest,) = past_rounds(database, account, Sought(), place, 2)
    assert rest.rows == rounds[2]


def test_rounds_that_tie_have_one_order_whatever_the_plan(
    database: Database, dsn: str
) -> None:
    account = new_id()
    ids = sorted(
        (closed(database, account)[0].round_id for _ in range(9)), reverse=True
    )
    # Without its indexes PostgreSQL finds rounds in the order of writing.
    slow = "-c enable_indexscan=off -c enable_bitmapscan=off"
    with closing(Database(f"{dsn} options='{slow}'")) as other:
        found, place = [], NEWEST
        while page := past_rounds(other, account, Sought(), place, 2):
            found += [one.round.round_id for one in page]
            place = Place(page[-1].round.opened_at, found[-1])
    assert found == sorted(ids, reverse=True)


def test_a_microsecond_is_a_difference(database: Database) -> None:
    account = new_id()
    rounds = [closed(database, account, AT + number) for number in range(3)]
    place = Place(AT + 1, rounds[1][0].round_id)
    (older,) = past_rounds(database, account, Sought(), place, 9)
    assert older.rows == rounds[0]
    found = past_rounds(
        database, account, Sought(since=AT + 1, until=AT + 2), NEWEST, 9
    )
    assert [one.rows for one in found] == [rounds[1]]


def test_a_round_without_its_log_is_listed(database: Database, dsn: str) -> None:
    account = new_id()
    closed(database, account)
    with psycopg.connect(dsn) as owner:
        owner.execute("ALTER TABLE log DISABLE TRIGGER append_only")
        owner.execute("DELETE FROM log")
    (one,) = past_rounds(database, account, Sought(), NEWEST, 9)
    assert (one.rows, one.round.account) == ([], account)


@pytest.mark.parametrize("limit", [1, 20])
def test_a_page_is_one_statement(database: Database, limit: int) -> None:
    account = new_id()
    for _ in range(3):
        closed(database, account)

    def read() -> None:
        past_rounds(database, account, Sought(), NEWEST, limit)

    read()
    assert wire(database, read) == ["Bind", "Describe", "Execute", "Sync"]


@pytest.fixture(scope="module")
def full(postgres: Postgres) -> Iterator[Owner]:
    """Give a database in which every second round is one player's, as its owner."""
    with postgres.copy() as dsn, psycopg.connect(dsn, autocommit=True) as owner:
        owner.execute("SET synchronous_commit = on")
        owner.execute(FILL.encode())
        owner.execute("VACUUM ANALYZE round, log, transfer")
        yield owner


def plan(owner: Owner, sought: Sought, before: Place = NEWEST) -> str:
    """Return how PostgreSQL reads a page, and what it looked at."""
    query, values = history.page_query(ACCOUNT, sought, before, 21)
    text = query.replace("%s", "{}").format(*map(quoted, values))
    explained = owner.execute(f"EXPLAIN (ANALYZE, TIMING OFF) {text}".encode())
    return "\n".join(line for (line,) in explained.fetchall())


def quoted(value: object) -> str:
    if isinstance(value, Instant):
        return f"to_timestamp({value / 1_000_000})"
    return str(value) if isinstance(value, int) else f"'{value}'"


@pytest.mark.parametrize(
    "sought",
    [
        Sought(),
        Sought(table_id="table-0"),
        Sought(currency="EUR", ending="complete"),
        Sought(result="lost"),
        Sought(since=1_700_000_000_000_000),
    ],
)
@pytest.mark.parametrize("depth", ["now()", "now() - interval '13 days'"])
def test_a_page_reads_along_its_index_at_every_depth(
    full: Owner, sought: Sought, depth: str
) -> None:
    at = full.execute(
        f"SELECT (extract(epoch FROM {depth}) * 1000000)::bigint".encode()  # noqa: S608 - ours
    ).fetchall()[0][0]
    found = plan(full, sought, Place(int(at), NEWEST.round_id))
    # Of one table it may as well read the index that finds a player's last round there.
    assert re.search("using round_(past|last) on round", found)
    assert "using log_version" in found
    assert "using transfer_round" in found
    assert "loops=105" not in found, "once a round, not once a row"
    assert "Seq Scan" not in found
    assert "Sort Key: round." not in found, "they come in their order"


@pytest.mark.parametrize("ending", ["void", "interrupted"])
def test_what_is_rare_is_found_without_a_look_at_the_rest(
    full: Owner, ending: history.Ending
) -> None:
    found = plan(full, Sought(ending=ending))
    assert "round_unlike" in found
