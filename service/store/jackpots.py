"""Jackpots: meters, the wagers that are not in a meter yet, and hits.

A deal adds a row of its own to the wagers, so players wait for nobody. Whoever locks a
meter takes the committed rows away and adds them up: each counts exactly once.
"""

from typing import Final, NamedTuple

from service.meter import Meter
from service.store.database import Database
from service.store.instant import Instant
from service.store.statements import Row

_COLUMNS: Final = """operator, jackpot_id, version, current, overflow, contributed,
    wagers, resets"""

# S608 sees SQL put together below: of this file's constants alone.
_MAKE: Final = f"""
INSERT INTO jackpot_meter ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (operator, jackpot_id) DO NOTHING
"""  # noqa: S608 - see above

_METERS: Final = f"""
SELECT {_COLUMNS} FROM jackpot_meter ORDER BY operator, jackpot_id
"""  # noqa: S608 - see above

_READ: Final = f"""
SELECT {_COLUMNS}, deals, waiting FROM jackpot_meter, (
    SELECT count(*) AS deals, coalesce(sum(wagers), 0)::bigint AS waiting
    FROM jackpot_contribution WHERE operator = %s AND jackpot_id = %s
) AS contributions
WHERE operator = %s AND jackpot_id = %s
"""  # noqa: S608 - see above

_LOCK: Final = f"""
SELECT {_COLUMNS} FROM jackpot_meter WHERE operator = %s AND jackpot_id = %s FOR UPDATE
"""  # noqa: S608 - see above

_LOCK_IF_FREE: Final = f"{_LOCK} SKIP LOCKED"

_TAKE: Final = """
WITH taken AS (
    DELETE FROM jackpot_contribution WHERE operator = %s AND jackpot_id = %s
    RETURNING wagers
)
SELECT coalesce(sum(wagers), 0)::bigint FROM taken
"""

_PUT: Final = """
UPDATE jackpot_meter SET version = %s, current = %s, overflow = %s, contributed = %s,
    wagers = %s, resets = %s
WHERE operator = %s AND jackpot_id = %s
"""

_HIT: Final = """
INSERT INTO jackpot_hit (account, round, box, ver, operator, jackpot_id, amount, at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
"""

_RETURN: Final = """
UPDATE jackpot_hit SET returned_at = now()
WHERE account = %s AND round = %s AND returned_at IS NULL
RETURNING operator, jackpot_id, amount
"""

_HITS: Final = """
SELECT hit.account, hit.round, box, ver, hit.operator, jackpot_id, amount, at,
    CASE WHEN returned_at IS NOT NULL THEN 'returned'
        WHEN round.closed_at IS NULL THEN 'reserved' ELSE 'paid' END
FROM jackpot_hit AS hit
JOIN round ON round.account = hit.account AND round.round = hit.round
WHERE hit.operator = %s AND jackpot_id = %s AND (%s OR returned_at IS NULL)
ORDER BY at DESC, hit.round DESC, box DESC LIMIT %s
"""

_SUMS: Final = """
SELECT coalesce(sum(amount) FILTER (WHERE round.closed_at IS NULL), 0)::bigint,
    coalesce(sum(amount) FILTER (WHERE round.closed_at IS NOT NULL), 0)::bigint,
    count(*)
FROM jackpot_hit AS hit
JOIN round ON round.account = hit.account AND round.round = hit.round
WHERE hit.operator = %s AND jackpot_id = %s AND returned_at IS NULL
"""

_MOMENT: Final = """
SELECT meter.operator, meter.jackpot_id, version, current, overflow, contributed,
    wagers, resets,
    coalesce(sum(amount) FILTER (WHERE round.closed_at IS NULL), 0)::bigint,
    coalesce(sum(amount) FILTER (WHERE round.closed_at IS NOT NULL), 0)::bigint,
    count(amount)
FROM jackpot_meter AS meter
LEFT JOIN jackpot_hit AS hit ON hit.operator = meter.operator
    AND hit.jackpot_id = meter.jackpot_id AND returned_at IS NULL
LEFT JOIN round ON round.account = hit.account AND round.round = hit.round
GROUP BY meter.operator, meter.jackpot_id ORDER BY meter.operator, meter.jackpot_id
"""

CONTRIBUTED: Final = """, contributed AS (
    INSERT INTO jackpot_contribution (operator, jackpot_id, round, wagers)
    SELECT %s, %s, %s::uuid, %s::bigint FROM logged
)"""
"""A part of a deal's statement, whose values are a `Contribution`."""


class Contribution(NamedTuple):
    """The bonus wagers of a deal, in minor units, and the meter that they are for."""

    operator: str
    jackpot_id: str
    round_id: str
    wagers: int


class Hit(NamedTuple):
    """What a box has hit; `status` is "reserved", "paid" or "returned"."""

    account: str
    round_id: str
    box: int
    ver: int
    operator: str
    jackpot_id: str
    amount: int
    at: int
    status: str = "reserved"


class Read(NamedTuple):
    """A meter, and what is not in it yet: of how many deals."""

    meter: Meter
    deals: int
    wagers: int


class HitSums(NamedTuple):
    """What hits have reserved and were paid, in minor units, and how many there are.

    Without those that were returned.
    """

    reserved: int
    paid: int
    hits: int


def make_meter(db: Database, meter: Meter) -> bool:
    """Keep a new meter; False when the operator has one of this jackpot.

    Raises:
        DatabaseUnavailable: no answer; it may have been made.
    """
    return db.write(_MAKE, meter) == 1


def all_meters(db: Database) -> list[Meter]:
    """List all meters, by operator and jackpot.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [_meter(row) for row in db.read(_METERS)]


def moment_of_meters(db: Database) -> list[tuple[Meter, HitSums]]:
    """Return all meters with the sums of their hits, as of one moment.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [(_meter(row), HitSums(*row[8:])) for row in db.read(_MOMENT)]


def read_meter(db: Database, operator: str, jackpot_id: str) -> Read | None:
    """Read a meter and what waits to be added to it.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_READ, (operator, jackpot_id) * 2)
    return Read(_meter(found[0]), *found[0][8:]) if found else None


def lock_meter(
    db: Database, operator: str, jackpot_id: str, *, waits: bool = True
) -> Meter | None:
    """Lock a meter until the transaction ends; None when there is none.

    Unless one `waits` for it, None also when somebody else has locked it.

    Raises:
        DatabaseUnavailable: no answer.
    """
    assert db.in_transaction, "a lock is held until a transaction ends"
    found = db.change(_LOCK if waits else _LOCK_IF_FREE, (operator, jackpot_id))
    return _meter(found[0]) if found else None


def take_contributions(db: Database, operator: str, jackpot_id: str) -> int:
    """Take away all wagers that are committed by now; return their sum.

    In the transaction that has locked the meter, and by a statement of its own: what
    was committed before the lock was had is seen.

    Raises:
        DatabaseUnavailable: no answer.
    """
    ((wagers,),) = db.change(_TAKE, (operator, jackpot_id))
    return int(wagers)


def put_meter(db: Database, meter: Meter) -> None:
    """Change a meter that this transaction has locked.

    Raises:
        DatabaseUnavailable: no answer.
    """
    db.write(_PUT, (*meter[2:], *meter[:2]))


def add_hit(db: Database, hit: Hit) -> None:
    """Keep a hit, in the transaction that has reset the meter.

    Raises:
        DatabaseUnavailable: no answer.
    """
    db.write(_HIT, (*hit[:7], Instant(hit.at)))


def return_hits(
    db: Database, account: str, round_id: str
) -> list[tuple[str, str, int]]:
    """Mark a round's hits as returned; list operator, jackpot and amount of each.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [(row[0], row[1], row[2]) for row in db.change(_RETURN, (account, round_id))]


def last_hits(
    db: Database, operator: str, jackpot_id: str, limit: int, *, returned: bool = True
) -> list[Hit]:
    """List hits, the newest first; those that were `returned` as well, or not.

    Raises:
        DatabaseUnavailable: no answer.
    """
    values = (operator, jackpot_id, returned, limit)
    return [Hit(*row) for row in db.read(_HITS, values)]


def hit_sums(db: Database, operator: str, jackpot_id: str) -> HitSums:
    """Add up what hits have reserved and were paid.

    Raises:
        DatabaseUnavailable: no answer.
    """
    ((reserved, paid, count),) = db.read(_SUMS, (operator, jackpot_id))
    return HitSums(reserved, paid, count)


def _meter(row: Row) -> Meter:
    """Return the meter in a row that begins with its columns: all whole numbers."""
    return Meter(*row[:3], *map(int, row[3:8]))
