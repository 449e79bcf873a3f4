"""Players' own limits: one row for each player and currency."""

from typing import Final, NamedTuple

from service.store.database import Database
from service.store.instant import instant

_FIND: Final = """
SELECT clock.now, ver, amount, since, next_amount, next_at, raised_at
FROM (SELECT now() AS now) AS clock
LEFT JOIN player_limit ON operator = %s AND player = %s AND currency = %s
"""

# Only over the version that was read: of two changes at once one is decided again.
_PUT: Final = """
INSERT INTO player_limit AS kept (operator, player, currency, ver, amount, since,
    next_amount, next_at, raised_at)
VALUES (%s, %s, %s, %s, %s, %s::timestamptz, %s, %s::timestamptz, %s::timestamptz)
ON CONFLICT (operator, player, currency) DO UPDATE SET
    ver = excluded.ver, amount = excluded.amount, since = excluded.since,
    next_amount = excluded.next_amount, next_at = excluded.next_at,
    raised_at = excluded.raised_at
WHERE kept.ver = excluded.ver - 1
"""


class Whose(NamedTuple):
    """Whose limit it is: an operator's player, for all his rounds in a currency."""

    operator: str
    player: str
    currency: str


class LimitRow(NamedTuple):
    """A player's own limit as it is kept; times in microseconds since 1970 UTC.

    Money is minor units, None is no limit. From `next_at` on, if there is one,
    `next_amount` is in force in place of `amount`.
    """

    ver: int
    amount: int | None
    since: int | None
    next_amount: int | None
    next_at: int | None
    raised_at: int | None
    """When a raise was last asked for."""


NO_LIMIT: Final = LimitRow(0, *[None] * 5)
"""That of a player who never set one."""


def find_limit(db: Database, whose: Whose) -> tuple[int, LimitRow]:
    """Return the database's time, and a player's limit.

    Raises:
        DatabaseUnavailable: no answer.
    """
    ((now, *found),) = db.read(_FIND, whose)
    return now, NO_LIMIT if found[0] is None else LimitRow(*found)


def put_limit(db: Database, whose: Whose, row: LimitRow) -> bool:
    """Keep a limit in place of that of the version before; False if that is past.

    Raises:
        DatabaseUnavailable: no answer; it may have been kept.
    """
    since, next_at, raised_at = map(instant, (row.since, row.next_at, row.raised_at))
    values = (row.ver, row.amount, since, row.next_amount, next_at, raised_at)
    return db.write(_PUT, (*whose, *values)) == 1
