"""Sums across an operator's players: what rounds hold, and what was turned over."""

import datetime as dt
from typing import Final, NamedTuple

from service.store.database import Database
from service.store.instant import Instant

# What is staked and not paid; the list of rounds knows a stake only at the deal and the
# end, so it is taken from what moved. What is owed to a player is held no more.
_HELD: Final = """
SELECT currency, table_id, count(*), sum(entries.held + calls.held)::bigint
FROM round, LATERAL (
    SELECT coalesce(sum(amount), 0) AS held FROM ledger
    WHERE ledger.account = round.account AND ledger.round = round.round
        AND side = 'held'
) AS entries, LATERAL (
    SELECT coalesce(sum(CASE kind WHEN 'debit' THEN amount ELSE -amount END), 0) AS held
    FROM transfer
    WHERE transfer.account = round.account AND transfer.round = round.round
        AND (kind = 'debit' AND transfer.status = 'confirmed'
            OR kind IN ('credit', 'refund'))
) AS calls
WHERE operator = %s AND mode = %s AND closed_at IS NULL
GROUP BY currency, table_id ORDER BY currency, table_id
"""

_TURNOVER: Final = """
SELECT (closed_at AT TIME ZONE 'UTC')::date AS day, table_id, currency,
    count(*) FILTER (WHERE status = 'settled'),
    coalesce(sum(stake) FILTER (WHERE status = 'settled'), 0)::bigint,
    coalesce(sum(payout) FILTER (WHERE status = 'settled'), 0)::bigint,
    count(*) FILTER (WHERE status = 'void'),
    coalesce(sum(stake) FILTER (WHERE status = 'void'), 0)::bigint,
    coalesce(sum(payout) FILTER (WHERE status = 'void'), 0)::bigint,
    count(*) FILTER (WHERE status = 'malfunction'),
    coalesce(sum(stake) FILTER (WHERE status = 'malfunction'), 0)::bigint,
    coalesce(sum(payout) FILTER (WHERE status = 'malfunction'), 0)::bigint
FROM round
WHERE operator = %s AND mode = %s AND closed_at >= %s AND closed_at < %s
GROUP BY day, table_id, currency ORDER BY day, table_id, currency
"""

_OWED: Final = """
SELECT data ->> 'currency', count(*), sum((data ->> 'amount')::bigint)::bigint
FROM significant_event
WHERE operator = %s AND mode = %s AND kind = 'money_owed'
GROUP BY 1 ORDER BY 1
"""

_EPOCH: Final = dt.date(1970, 1, 1)
_DAY: Final = dt.timedelta(days=1)
_MICROSECOND: Final = dt.timedelta(microseconds=1)


class Held(NamedTuple):
    """What unfinished rounds of a table hold, in minor units."""

    currency: str
    table_id: str
    rounds: int
    held: int


class Turnover(NamedTuple):
    """What rounds of a table that ended on a day (UTC) took and paid, in minor units.

    Those that ended void or malfunctioned stand apart: their figures are in none of the
    others.
    """

    day: dt.date
    table_id: str
    currency: str
    rounds: int
    stake: int
    payout: int
    void_rounds: int
    void_stake: int
    void_payout: int
    malfunction_rounds: int
    malfunction_stake: int
    malfunction_payout: int


class Owed(NamedTuple):
    """What players owe of what malfunctions were to take back, in minor units."""

    currency: str
    rounds: int
    amount: int


def held(db: Database, operator: str, mode: str) -> list[Held]:
    """Sum up what the operator's unfinished rounds hold, by currency and table.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [Held(*row) for row in db.read(_HELD, (operator, mode))]


def owed(db: Database, operator: str, mode: str) -> list[Owed]:
    """Sum up what the operator's players have come to owe, by currency.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [Owed(*row) for row in db.read(_OWED, (operator, mode))]


def turnover(
    db: Database, operator: str, mode: str, first: dt.date, last: dt.date
) -> list[Turnover]:
    """Sum up the operator's rounds that ended on these days, by day and table.

    Raises:
        DatabaseUnavailable: no answer.
    """
    times = (_midnight(first), _midnight(last + _DAY))
    return [Turnover(*row) for row in db.read(_TURNOVER, (operator, mode, *times))]


def _midnight(day: dt.date) -> Instant:
    """Return when a day begins in UTC."""
    return Instant((day - _EPOCH) // _MICROSECOND)
