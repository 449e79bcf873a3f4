"""A database with rounds of all kinds, sealed twice, to be tampered with."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

import pytest

from service.api.log import open_log
from service.catalog import Catalog
from service.chance import OsShuffler
from service.cli.serve import load_shipped_tables
from service.house import House
from service.inspection import Inspector, no_archive
from service.jobs.ending import VOID
from service.jobs.job import run_once
from service.jobs.rounds import Rounds
from service.jobs.seal import Seals
from service.keyfile import KeyFile
from service.meters import Meters
from service.operators import OperatorKeys
from service.sealing import KeyRing
from service.seals.seal import SealKeys
from service.store.chain import GENESIS, chained
from service.store.database import Database, clock
from service.store.inspection import everything
from service.store.log import load
from service.store.operators import OperatorRow, add_operator
from service.store.seals import seals, unsealed
from service.store.tables import all_table_versions
from service.wallet.calls import Calls
from service.wallet.wallets import Wallets
from tests.bench.grown import Grown
from tests.bench.patterns import OPERATOR, Pattern, patterns, unfinished
from tests.support.postgres import Postgres, quiet
from tests.support.waiting import until

DAY: Final = 86_400_000_000
RING: Final = KeyRing.from_text(KeyFile.fresh_text("k1"), "ring")
KEYS: Final = SealKeys(KeyFile.from_text(KeyFile.fresh_text("s1"), "seal keys"))
Change = tuple[str, Sequence[object]]


class Kept:
    """The database, and what an inspection of it finds after it was tampered with."""

    def __init__(self, dsn: str) -> None:
        self.dsn: Final = dsn
        self.owner: Final = Database(dsn, role=None)
        self.trusted: Sequence[bytes] = list(KEYS.public.values())

    def found(self, *changes: Change) -> list[str]:
        """Return what is found when the owner has made these changes, then undo them.

        In a statement "@round" says which account and round it is about.
        """
        with self.owner.transaction():
            for table in ("log", "shoe", "ledger", "seal", "seal_leaf"):
                self.owner.write(f"ALTER TABLE {table} DISABLE TRIGGER append_only")
            for statement, values in changes:
                text = statement.replace("@round", "WHERE account = %s AND round = %s")
                assert self.owner.write(text, values) > 0, statement
            lines = list(self._inspected())
            self.owner.write("ROLLBACK AND CHAIN")
        return lines

    def _inspected(self) -> Iterator[str]:
        sources = {row.version: row.source for row in all_table_versions(self.owner)}
        signed = list(seals(self.owner))
        inspector = Inspector(RING, sources, signed, self.trusted, no_archive)
        for finding in inspector.inspect(everything(self.owner)):
            yield f"{finding.subject}: {finding.where}"

    def long_round(self) -> tuple[str, str]:
        """Return account and id of the round with the most rows, sealed in seal 1."""
        statement = """
            SELECT account, round FROM seal_leaf WHERE seal = 1
            ORDER BY ver DESC, round LIMIT 1
        """
        ((account, round_id),) = self.owner.read(statement)
        return account, round_id

    def rewritten(self, account: str, round_id: str, first: int) -> list[Change]:
        """Return what gives rows other keys from a version on, and hashes that fit."""
        changes: list[Change] = []
        previous = GENESIS
        for row in load(self.owner, account, round_id, None).rows:
            new = row
            if row.ver >= first:
                new = chained(previous, row._replace(key=f"other-{row.ver:06}"))
                values = (new.key, new.hash, account, round_id, row.ver)
                changes.append((_REWRITE, values))
            previous = new.hash
        return changes


_REWRITE: Final = """
UPDATE log SET key = %s, hash = %s WHERE account = %s AND round = %s AND ver = %s
"""


@pytest.fixture(scope="package")
def kept(postgres: Postgres) -> Iterator[Kept]:
    """Give rounds that are over, voided after the first seal, and open, in 2 seals."""
    with postgres.copy() as dsn:
        database = Database(dsn)
        load_shipped_tables(database, quiet)
        owner = Kept(dsn)
        add_operator(owner.owner, OperatorRow(OPERATOR, "ledger", None, sandbox=False))
        first = clock(database) - 100 * DAY
        grown = Grown(dsn, RING)
        played = patterns(12, Random(11))  # noqa: S311 - the same rounds each time
        left = unfinished(3, Random(12))  # noqa: S311 - the same rounds each time
        _grow(grown, range(20), played, first)
        grown.leave(left, "left", 3, first)
        _seal(database, first)
        log = open_log(requests=False)
        house = _house(database)
        assert run_once([Rounds(house, VOID, 0, log)], log, quiet)
        _grow(grown, range(20, 25), played, first)
        _seal(database, first + DAY)
        grown.leave(left, "open", 3, clock(database))
        yield owner
        owner.owner.close()
        database.close()


def _house(database: Database) -> House:
    calls = Calls(OperatorKeys(database, RING), open_log(requests=False))
    wallets = Wallets(database, calls)
    parts = (database, Catalog(database), wallets, RING, OsShuffler())
    return House(*parts, Meters(database))


def _grow(grown: Grown, span: range, played: list[Pattern], first: int) -> None:
    grown.grow(played, span, lambda number: first + number, lambda _: None)


def _seal(database: Database, at: int) -> None:
    """Seal all that is written; other databases of the server may hold it back."""
    last = list(seals(database))
    since = last[-1].seal.before if last else 0
    statement = "SELECT count(*) FROM log WHERE tx::text::bigint >= %s"
    rows = database.read(statement, (since,))[0][0]
    until(lambda: unsealed(database) == rows, "nothing holds the seal back")
    Seals(database, KEYS, lambda _: at).run(quiet)
