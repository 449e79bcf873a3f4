"""What reads across accounts reads an index of its own, however many rows there are."""

import re
from collections.abc import Iterator
from typing import Final

import psycopg
import pytest

from service.store import due, feed, outbox, reports, significant, wagers
from tests.support.postgres import Postgres

Owner = psycopg.Connection[tuple[str]]

FILL: Final = """
INSERT INTO round
SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'table-' || n % 4, 'v',
    'USD', CASE n % 50 WHEN 0 THEN 'playing' ELSE 'settled' END, now(),
    CASE WHEN n % 100 > 0 THEN now() END,
    CASE WHEN n % 50 > 0 THEN now() - n * interval '1 minute' END, 100, 90,
    'operator-' || n % 3, 'real', now() + interval '90 days'
FROM generate_series(1, 20000) AS n;
INSERT INTO balance SELECT account, currency, 0 FROM round;
INSERT INTO ledger (account, entry, line, operator, player, mode, purpose, round, ver,
    currency, side, amount, balance, at)
SELECT account, gen_random_uuid(), line, operator, 'ann', mode, 'deal', round, 1, 'USD',
    CASE line WHEN 1 THEN 'player' ELSE 'held' END, 100, 0, now()
FROM round, generate_series(1, 2) AS line;
INSERT INTO transfer (account, transfer, operator, player, kind, purpose, round, ver,
    table_id, currency, amount, lines, status, made_at)
SELECT account, gen_random_uuid(), operator, 'ann', 'debit', 'deal', round, 1, table_id,
    'USD', 100, '[]', 'confirmed', now()
FROM round;
INSERT INTO significant_event (event, operator, kind, at, who, tx)
SELECT gen_random_uuid(), nullif('operator-' || n % 9, 'operator-0'), 'table_loaded',
    now(), 'job', (n % 700)::text::xid8
FROM generate_series(1, 20000) AS n;
"""
MANY: Final = """
INSERT INTO round (account, round, log_account, operator, mode, table_id,
    table_version, currency, status, opened_at, closed_at, expires_at, stake, payout)
SELECT '{0}', gen_random_uuid(), '{0}', 'operator-0', 'real', 'table-' || n % 2, 'v',
    'USD', 'settled', now() - n * interval '1 minute', now(), now(), 100, 90
FROM generate_series(1, 5000) AS n;
"""
"""One player's rounds, all of them at two of three tables."""
NIL: Final = "00000000-0000-0000-0000-000000000000"


@pytest.fixture(scope="module")
def full(postgres: Postgres) -> Iterator[Owner]:
    """Give a database with rows of three operators, as its owner."""
    with postgres.copy() as dsn, psycopg.connect(dsn, autocommit=True) as owner:
        # What is not on disk yet is visible to nobody's index alone.
        owner.execute("SET synchronous_commit = on")
        owner.execute(FILL.encode())
        owner.execute(
            "VACUUM ANALYZE round, balance, ledger, transfer, significant_event"
        )
        yield owner


def plan(owner: Owner, query: str, *values: object) -> str:
    lines = owner.execute(f"EXPLAIN {query}".encode(), values).fetchall()
    return "\n".join(line for (line,) in lines)


def test_turnover_reads_nothing_but_its_index(full: Owner) -> None:
    (day,) = full.execute("SELECT (now() - interval '1 day')::date::text").fetchall()
    days = (day[0], f"{day[0]} 23:59:59")
    found = plan(full, reports._TURNOVER, "operator-1", "real", *days)  # noqa: SLF001 - the statement itself
    assert "Index Only Scan using round_turnover" in found
    assert "Seq Scan" not in found


def test_held_funds_are_found_from_the_open_rounds(full: Owner) -> None:
    found = plan(full, reports._HELD, "operator-1", "real")  # noqa: SLF001 - the statement itself
    for index in ("round_held", "ledger_cause", "transfer_round"):
        assert f"Scan using {index}" in found
    assert "Seq Scan" not in found


@pytest.mark.parametrize(
    ("kind", "index"), [("expired", "round_expires"), ("abandoned", "round_decided")]
)
def test_a_job_finds_what_is_due_in_an_index_of_such_rounds(
    full: Owner, kind: due.Kind, index: str
) -> None:
    query = due.page_statement(kind, 100, claim=True)
    found = plan(full, query, 60, "1970-01-01", NIL)
    assert f"Index Scan using {index}" in found
    for table in ("round", "balance", "transfer", "log"):
        assert f"Seq Scan on {table} " not in found


def test_the_feed_reads_on_from_its_place(full: Owner) -> None:
    place = ("0", NIL, 100)
    values = ("operator-1", "real", *place, "operator-1", "real", *place, 100)
    found = plan(full, feed._FEED, *values)  # noqa: SLF001 - the statement itself
    assert "Index Scan using ledger_feed" in found
    assert "Index Scan using transfer_feed" in found
    assert "Seq Scan" not in found
    # Each part comes sorted: only the two are merged.
    assert "Sort  (" not in found.partition("Merge Append")[2]


def test_significant_events_are_read_on_from_their_place(full: Owner) -> None:
    values = ("0", NIL, None, None, None, None, None, None, 100)
    both = ("operator-1", *values, ["table_loaded"], *values, 100)
    found = plan(full, significant._FEED, *both)  # noqa: SLF001 - the statement itself
    assert found.count("Index Scan using significant_event_") == 2
    assert "Seq Scan" not in found


def test_the_last_rounds_of_a_player_are_an_index_entry_each(full: Owner) -> None:
    full.execute(MANY.format(NIL).encode())
    full.execute("VACUUM ANALYZE round")
    values = (["table-0", "table-1", "table-2"], NIL, NIL)
    found = plan(full, wagers._LAST, *values)  # noqa: SLF001 - the statement itself
    for index in ("round_open", "round_last", "log_version"):
        assert re.search(f"Index Scan (Backward using|using|on) {index}", found)
    assert "Seq Scan" not in found


def test_calls_that_are_due_are_found_operator_by_operator(full: Owner) -> None:
    full.execute(
        "UPDATE transfer SET status = 'requested', next_try_at = now() "
        "WHERE get_byte(uuid_send(transfer), 0) < 40"
    )
    full.execute("VACUUM ANALYZE transfer")
    found = plan(full, outbox._TAKE, 8, 8, [10, 20], 2)  # noqa: SLF001 - the statement itself
    assert re.search(r"Index Cond: .*operator = whose", found)
    for reads_all in ("Seq Scan", "Bitmap", "Aggregate", "Unique"):
        assert reads_all not in found
