"""The rounds that growth is measured with are as valid as any."""

from random import Random

import psycopg

from service.cli.serve import load_shipped_tables
from service.keyfile import KeyFile
from service.reconcile import reconcile
from service.sealing import KeyRing
from service.store.database import Database, clock
from service.store.operators import OperatorRow, add_operator
from service.store.reconciliation import one_moment
from tests.bench.grown import Grown
from tests.bench.patterns import OPERATOR, patterns, unfinished
from tests.support.postgres import quiet

DAY = 86_400_000_000
RING = KeyRing.from_text(KeyFile.fresh_text("k1"), "ring")


def grow(dsn: str, database: Database) -> None:
    """Add 60 rounds, one a day, and a few that were left long ago."""
    load_shipped_tables(database, quiet)
    owner = Database(dsn, role=None)
    add_operator(owner, OperatorRow(OPERATOR, "ledger", None, sandbox=False))
    owner.close()
    first = clock(database) - 100 * DAY
    grown = Grown(dsn, RING)
    played = patterns(20, Random(3))  # noqa: S311 - the same rounds each time
    grown.grow(played, range(60), lambda number: first + number * DAY, lambda _: None)
    left = unfinished(5, Random(4))  # noqa: S311 - the same rounds each time
    grown.leave(left, "left", 5, first)


def test_grown_rounds_have_all_their_money(dsn: str, database: Database) -> None:
    grow(dsn, database)
    with one_moment(database) as streams:
        report = reconcile(streams)
    assert report.differences == ()
    assert report.counts["rounds"] == 65


def test_growth_goes_on_where_it_was(dsn: str, database: Database) -> None:
    grow(dsn, database)
    grown = Grown(dsn, RING)
    played = patterns(5, Random(5))  # noqa: S311 - the same rounds each time
    first = clock(database)
    grown.grow(played, range(60, 70), lambda number: first + number, lambda _: None)
    with one_moment(database) as streams:
        assert reconcile(streams).differences == ()
    with psycopg.connect(dsn) as owner:
        ((count,),) = owner.execute("SELECT count(*) FROM round").fetchall()
    assert count == 75
