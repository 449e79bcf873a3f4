"""Seals: a day's rows exactly, each in one of them, signed and chained."""

import datetime as dt
import hashlib
from collections.abc import Iterator
from typing import Final

import psycopg
import pytest

from service.jobs.job import run_once
from service.jobs.seal import Seals
from service.keyfile import KeyFile
from service.seals.seal import GENESIS, SealKeys, SignedSeal, chain_faults, is_signed
from service.seals.tree import Leaf, Tree
from service.store.database import Database
from service.store.errors import SealExists, SealImpossible
from service.store.feed import BEGINNING
from service.store.log import append
from service.store.rows import LogRow
from service.store.seals import leaves_of, make_seal, seals, unsealed
from service.store.significant import EVERYTHING, all_events
from tests.support.postgres import quiet
from tests.support.samples import next_row, opened
from tests.support.waiting import at_once, until
from tests.wallet.casino import Log

KEYS: Final = SealKeys(KeyFile.from_text(KeyFile.fresh_text("k1"), "seal keys"))
DAY: Final = dt.date(2026, 11, 30)
SECOND: Final = 1_000_000
MIDNIGHT: Final = 1_796_083_200 * SECOND
"""2026-12-01, 00:00 UTC."""


@pytest.fixture
def slow(dsn: str) -> Iterator[Database]:
    """Give a second connection, for one who takes his time."""
    db = Database(dsn)
    yield db
    db.close()


def sealed(db: Database, days: int = 0) -> SignedSeal:
    """Make a seal of all that is written; other databases may hold it back."""
    until(lambda: unsealed(db) >= written(db), "nothing holds the seal back")
    return make_seal(db, KEYS, DAY + dt.timedelta(days), MIDNIGHT)


def written(db: Database) -> int:
    """Return how many rows are in no seal's reach yet."""
    last = list(seals(db))
    since = last[-1].seal.before if last else 0
    statement = "SELECT count(*) FROM log WHERE tx::text::bigint >= %s"
    ((count,),) = db.read(statement, (since,))
    assert isinstance(count, int)
    return count


def told(db: Database, number: int) -> list[tuple[str, int, bytes]]:
    return [leaf[1:] for leaf in leaves_of(db, number)]


def as_told(*rows: LogRow) -> list[tuple[str, int, bytes]]:
    """Return the leaves of rounds whose last rows these are, in the tree's order."""
    inorder = sorted(rows, key=lambda row: (row.account, row.round_id))
    return [(row.round_id, row.ver, row.hash) for row in inorder]


# The trees that implementations of RFC 6962 are tested with.
VECTORS: Final = {
    "": "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "00": "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "10": "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "2021": "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "3031": "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "40414243": "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "5051525354555657": (
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"
    ),
    "606162636465666768696a6b6c6d6e6f": (
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
    ),
}


def test_the_tree_is_that_of_the_rfc() -> None:
    tree = Tree()
    for content, root in VECTORS.items():
        tree.add(hashlib.sha256(b"\0" + bytes.fromhex(content)).digest())
        assert tree.root().hex() == root


def test_a_leaf_is_its_round_and_version() -> None:
    leaf = Leaf("0" * 8 + "-0000-0000-0000-" + "0" * 12, "f" * 32, 3, b"h" * 32)
    content = bytes(16) + b"\xff" * 16 + b"\0\0\0\3" + b"h" * 32
    assert leaf.digest == hashlib.sha256(b"\0" + content).digest()


def test_a_seal_has_a_leaf_for_each_round_as_it_stands(database: Database) -> None:
    first, other = opened(database), opened(database)
    last = next_row(first, "key-2")
    append(database, last)
    signed = sealed(database)
    assert told(database, 1) == as_told(last, other)
    tree = Tree()
    for leaf in leaves_of(database, 1):
        tree.add(leaf.digest)
    seal = signed.seal
    assert (seal.leaves, seal.root) == (2, tree.root())
    assert (seal.number, seal.day, seal.made_at) == (1, "2026-11-30", MIDNIGHT)
    assert (seal.previous, seal.key_id) == (GENESIS, "k1")
    assert is_signed(seal.text, KEYS.public["k1"], signed.signature)
    assert list(seals(database)) == [signed]
    (event,) = all_events(database, None, EVERYTHING, BEGINNING, 9)
    assert (event.kind, event.who) == ("seal_made", "job")
    assert seal.root.hex() in str(event.data)


def test_a_round_that_went_on_gets_a_new_leaf(database: Database) -> None:
    first, idle = opened(database), opened(database)
    former = sealed(database)
    last = next_row(first, "key-2")
    append(database, last)
    signed = sealed(database, 1)
    assert told(database, 1) == as_told(first, idle)
    assert told(database, 2) == as_told(last)
    assert signed.seal.previous == former.seal.digest
    assert list(chain_faults(seals(database), KEYS.public.values())) == []


def test_a_late_commit_is_in_the_next_seal(database: Database, slow: Database) -> None:
    """Its transaction began before the seal: a seal by time would leave it out."""
    with slow.transaction():
        late = opened(slow)
        early = opened(database)
        assert make_seal(database, KEYS, DAY, MIDNIGHT).seal.leaves == 0
    sealed(database, 1)
    assert told(database, 2) == as_told(late, early)


def test_a_day_without_play_is_sealed_too(database: Database) -> None:
    signed = sealed(database)
    assert signed.seal.leaves == 0
    assert signed.seal.root == hashlib.sha256().digest()


def test_of_two_copies_one_seals(dsn: str, database: Database) -> None:
    opened(database)

    def seal() -> bool:
        db = Database(dsn)
        try:
            make_seal(db, KEYS, DAY, MIDNIGHT)
        except SealExists:
            return False
        finally:
            db.close()
        return True

    assert sorted(map(bool, at_once([seal, seal]))) == [False, True]
    assert [one.seal.number for one in seals(database)] == [1]


def test_a_server_that_counts_anew_is_told_apart(dsn: str, database: Database) -> None:
    sealed(database)
    with psycopg.connect(dsn) as owner:
        owner.execute("ALTER TABLE seal DISABLE TRIGGER append_only")
        owner.execute("UPDATE seal SET before = '9999999999'::xid8")
    with pytest.raises(SealImpossible, match="restored from a dump"):
        make_seal(database, KEYS, DAY + dt.timedelta(1), MIDNIGHT)
    log, after = Log(), MIDNIGHT + 2 * 86_400 * SECOND
    assert not run_once([Seals(database, KEYS, lambda _: after)], log.logger, quiet)
    assert "run: upcard migrate" in log.lines[-1]["said"]


def test_the_job_seals_once_a_day_and_what_it_missed(database: Database) -> None:
    opened(database)
    now = [MIDNIGHT + 299 * SECOND]
    job = Seals(database, KEYS, lambda _: now[0])
    words: list[str] = []
    days = 86_400 * SECOND
    for later in (0, 1, days, 4 * days, days):
        job.run(words.append)
        now[0] += later if later > 1 else later * SECOND
    assert [one.seal.day for one in seals(database)] == [
        *("2026-11-29", "2026-11-30", "2026-12-01", "2026-12-05"),
    ]
    assert words == ["sealed"] * 4
    assert job.look() == ["0 rows to seal; the last seal is of 2026-12-05"]


def test_what_was_signed_cannot_be_another(database: Database) -> None:
    for days in range(3):
        opened(database)
        sealed(database, days)
    honest = list(seals(database))
    trusted = list(KEYS.public.values())
    assert list(chain_faults(honest, trusted)) == []
    assert list(chain_faults(honest[::2], trusted)) == [
        (2, "is missing; the next there is has number 3")
    ]
    forger = SealKeys(KeyFile.from_text(KeyFile.fresh_text("k1"), "his"))
    changed = honest[1].seal._replace(leaves=7)
    forged = honest[1]._replace(seal=changed)
    follows = "does not follow from the one before it"
    found = list(chain_faults([honest[0], forged, honest[2]], trusted))
    assert found == [(2, "its signature is wrong: it was changed"), (3, follows)]
    found = list(chain_faults([honest[0], forger.signed(changed)], trusted))
    assert found[0][1].endswith("which is not trusted")
    lesser = KEYS.signed(honest[1].seal._replace(before=0))
    found = list(chain_faults([honest[0], lesser], trusted))
    assert found == [(2, "covers less than the one before it")]


def test_a_seal_is_found_by_a_range_of_pages(dsn: str, database: Database) -> None:
    rows = [opened(database) for _ in range(3)]
    assert rows
    with psycopg.connect(dsn, autocommit=True) as owner:
        owner.execute("SET enable_seqscan = off")
        plan = owner.execute(
            "EXPLAIN SELECT FROM log WHERE tx::text::bigint >= 5::bigint "
            "AND tx::text::bigint < 9::bigint"
        ).fetchall()
    assert "Bitmap Index Scan on log_tx" in str(plan)
