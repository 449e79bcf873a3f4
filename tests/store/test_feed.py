"""The feed loses no late commit and repeats nothing, whatever is written meanwhile."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final, cast

import psycopg
import pytest

from service.chance import new_id
from service.store.database import Database, clock
from service.store.feed import BEGINNING, Movement, Place, movements
from service.store.ledger import Entry, Line, write_entry
from service.store.rows import Holder
from tests.support.waiting import DEADLINE, at_once, until

OPERATOR: Final = "dev"
ALL: Final = 1_000


@pytest.fixture
def slow(dsn: str) -> Iterator[Database]:
    """Give a second connection, for one who takes his time."""
    db = Database(dsn)
    yield db
    db.close()


def deposit(db: Database, operator: str = OPERATOR, mode: str = "real") -> str:
    """Write an entry; give its id."""
    holder = Holder(new_id(), operator, "ann", mode)
    lines = (Line("player", 5), Line("operator", -5))
    where = (None, None, f"ref-{new_id()}", "USD")
    entry = Entry(holder, new_id(), "deposit", *where, lines, 5, clock(db))
    write_entry(db, entry)
    return entry.entry_id


def follow(
    db: Database,
    count: int,
    after: Place = BEGINNING,
    limit: int = ALL,
    mode: str = "real",
) -> list[Movement]:
    """Read on until so many are there, and then all that there is for now.

    The server's own transactions may hold the feed back for a moment.
    """
    found: list[Movement] = []

    def read() -> bool:
        place = found[-1].place if found else after
        page = movements(db, OPERATOR, mode, place, limit)
        found.extend(page)
        return len(found) >= count and not page

    until(read, f"{count} movements")
    return found


def ids(found: list[Movement]) -> list[str]:
    return [one.place.id for one in found]


def test_what_moved_is_told_in_the_order_of_commits(database: Database) -> None:
    made = [deposit(database) for _ in range(5)]
    found = follow(database, 5)
    assert ids(found) == made
    first = found[0]
    assert (first.source, first.purpose, first.amount) == ("ledger", "deposit", 5)
    assert (first.player, first.balance, first.currency) == ("ann", 5, "USD")
    assert first.reference is not None
    assert (first.round_id, first.ver, first.kind, first.status) == (None,) * 4


def test_a_late_commit_is_not_lost(database: Database, slow: Database) -> None:
    """A serial cursor would be past it when it comes."""
    before = deposit(database)
    with slow.transaction():
        late = deposit(slow)
        early = deposit(database)
        seen = follow(database, 1)
        assert ids(seen) == [before]  # and nothing behind the open transaction
    assert ids(follow(database, 2, seen[-1].place)) == [late, early]


def test_what_is_taken_back_is_never_told(database: Database, slow: Database) -> None:
    with suppress(KeyError), slow.transaction():
        deposit(slow)
        raise KeyError
    made = deposit(database)
    assert ids(follow(database, 1)) == [made]


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_part_what_has_one_time_and_one_transaction(
    database: Database, limit: int
) -> None:
    with database.transaction():
        made = [deposit(database) for _ in range(7)]
    times = {one.at for one in follow(database, 7)}
    assert len(times) == 1
    assert ids(follow(database, 7, limit=limit)) == sorted(made)


def test_a_reader_beside_many_writers_gets_each_once(
    dsn: str, database: Database
) -> None:
    count, found = 4 * 30, []

    def read() -> None:
        found.extend(ids(follow(database, count, limit=3)))

    reader = threading.Thread(target=read)
    reader.start()
    with databases(dsn, 4) as writers:
        made = at_once([partial(write_some, db) for db in writers])
    reader.join(DEADLINE)
    assert not reader.is_alive()
    written = [entry for entries in made for entry in cast("list[str]", entries)]
    assert len(found) == len(set(found)) == count
    assert sorted(found) == sorted(written)


def write_some(db: Database) -> list[str]:
    """Write entries in transactions of one, two and three."""
    made = []
    for number in range(15):
        with db.transaction():
            made += [deposit(db) for _ in range(1 + number % 3)]
    return made


@contextmanager
def databases(dsn: str, count: int) -> Iterator[list[Database]]:
    found = [Database(dsn) for _ in range(count)]
    yield found
    for db in found:
        db.close()


def test_operators_and_modes_are_apart(database: Database) -> None:
    deposit(database, "other")
    demo = deposit(database, mode="demo")
    real = deposit(database)
    assert ids(follow(database, 1)) == [real]
    assert ids(follow(database, 1, mode="demo")) == [demo]


def test_a_transactions_number_is_no_text(dsn: str, database: Database) -> None:
    """As text, 10 comes before 9: at a new digit a page would leave much out."""
    statement = (
        "INSERT INTO ledger (account, entry, line, operator, player, mode, purpose,"
        " currency, side, amount, balance, at, tx) SELECT gen_random_uuid(),"
        " gen_random_uuid(), 1, 'dev', 'ann', 'real', 'deposit', 'USD', 'player', n, 0,"
        " now(), n::text::xid8 FROM generate_series(8, 102) AS n"
    )
    with psycopg.connect(dsn) as owner:
        owner.execute(statement)
    for limit in (1, 2, 50, 100):
        found = follow(database, 95, limit=limit)
        assert [one.amount for one in found] == list(range(8, 103))
