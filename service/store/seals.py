"""Seals of the log and their leaves: written once a day, read by whoever checks."""

import datetime as dt
from collections.abc import Iterator
from typing import Any, Final

from service.seals.seal import GENESIS, Seal, SealKeys, SignedSeal
from service.seals.tree import Leaf, Tree
from service.store.database import Database
from service.store.errors import SealImpossible
from service.store.instant import Instant
from service.store.significant import Significant, note

_ROWS: Final = 5_000
_NIL: Final = "00000000-0000-0000-0000-000000000000"

_LAST_DAY: Final = "SELECT max(day)::text FROM seal"

_SEALS: Final = """
SELECT seal, day::text, made_at, before::text, leaves, root, previous, key_id,
    public_key, signature
FROM seal WHERE seal > %s ORDER BY seal LIMIT %s
"""

_NEWEST: Final = """
SELECT seal, day::text, made_at, before::text, leaves, root, previous, key_id,
    public_key, signature
FROM seal WHERE seal < %s ORDER BY seal DESC LIMIT %s
"""

_LAST: Final = """
SELECT seal, day::text, made_at, before::text, leaves, root, previous, key_id,
    public_key, signature
FROM seal ORDER BY seal DESC LIMIT 1
"""

# What is below it is done with: no open transaction can add to that any more.
_BOUND: Final = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text"

_COLLECT: Final = """
INSERT INTO seal_leaf (seal, account, round, ver, hash)
SELECT DISTINCT ON (account, round) %s::integer, account, round, ver, hash FROM log
WHERE tx::text::bigint >= %s::bigint AND tx::text::bigint < %s::bigint
ORDER BY account, round, ver DESC
"""

_WAITING: Final = """
SELECT count(*) FROM log
WHERE tx::text::bigint >= %s::bigint
    AND tx < pg_snapshot_xmin(pg_current_snapshot())
"""

_LEAVES: Final = """
SELECT account, round, ver, hash FROM seal_leaf
WHERE seal = %s AND (account, round) > (%s, %s) ORDER BY account, round LIMIT %s
"""

_SEAL: Final = """
INSERT INTO seal (seal, day, made_at, before, leaves, root, previous, key_id,
    public_key, signature)
VALUES (%s, %s::date, %s, %s::text::xid8, %s, %s, %s, %s, %s, %s)
"""


def last_day(db: Database) -> dt.date | None:
    """Return the day of the last seal.

    Raises:
        DatabaseUnavailable: no answer.
    """
    ((found,),) = db.read(_LAST_DAY)
    return None if found is None else dt.date.fromisoformat(found)


def unsealed(db: Database) -> int:
    """Return how many rows of the log a seal would cover now.

    Raises:
        DatabaseUnavailable: no answer.
    """
    last = _last(db)
    with db.patiently():
        ((count,),) = db.read(_WAITING, (last.seal.before if last else 0,))
    assert isinstance(count, int), "a count is one"
    return count


def make_seal(db: Database, keys: SealKeys, day: dt.date, at: int) -> SignedSeal:
    """Seal what was written since the former seal, and keep its leaves.

    `at` is the time, in microseconds since 1970 UTC.

    Raises:
        SealExists: another copy made it meanwhile.
        SealImpossible: the database's transactions are numbered anew.
        DatabaseUnavailable: no answer; it was made wholly or not.
    """
    with db.patiently():
        former = _last(db)
        number = former.seal.number + 1 if former else 1
        since = former.seal.before if former else 0
        ((bound,),) = db.read(_BOUND)
        before = int(bound)
        if before < since:
            raise SealImpossible(
                f"seal {number - 1} covers transactions up to {since}, and this server "
                f"is at {before}: it was restored from a dump, which begins to count "
                "anew; run: upcard migrate"
            )
        db.write(_COLLECT, (number, since, before))
        tree = Tree()
        for leaf in leaves_of(db, number):
            tree.add(leaf.digest)
        previous = former.seal.digest if former else GENESIS
        whole = (tree.leaves, tree.root(), previous, keys.current)
        seal = Seal(number, day.isoformat(), at, before, *whole)
        signed = keys.signed(seal)
        _write(db, signed)
    return signed


def seals(db: Database) -> Iterator[SignedSeal]:
    """Yield all seals, in order.

    Raises:
        DatabaseUnavailable: no answer.
    """
    after = 0
    while rows := db.read(_SEALS, (after, _ROWS)):
        yield from (_signed(*row) for row in rows)
        after = rows[-1][0]


def newest_seals(db: Database, before: int, limit: int) -> list[SignedSeal]:
    """List the seals before a number, the newest first.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [_signed(*row) for row in db.read(_NEWEST, (before, limit))]


def leaves_of(db: Database, number: int) -> Iterator[Leaf]:
    """Yield a seal's leaves, in the order of the tree.

    Raises:
        DatabaseUnavailable: no answer.
    """
    after = (_NIL, _NIL)
    while rows := db.read(_LEAVES, (number, *after, _ROWS)):
        yield from (Leaf(*row) for row in rows)
        after = rows[-1][:2]


def _last(db: Database) -> SignedSeal | None:
    rows = db.read(_LAST)
    return _signed(*rows[0]) if rows else None


def _signed(*row: Any) -> SignedSeal:  # noqa: ANN401 - the columns
    number, day, made_at, before, leaves, root, previous, key_id, *signed = row
    told = (leaves, root, previous, key_id)
    return SignedSeal(Seal(number, day, made_at, int(before), *told), *signed)


def _write(db: Database, signed: SignedSeal) -> None:
    seal = signed.seal
    rest = (str(seal.before), *seal[4:], signed.public_key, signed.signature)
    db.write(_SEAL, (seal.number, seal.day, Instant(seal.made_at), *rest))
    data = {"seal": seal.number, "day": seal.day, "root": seal.root.hex()}
    note(db, Significant("seal_made", seal.made_at, "job", data=data))
