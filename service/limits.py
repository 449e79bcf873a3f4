"""A player's own limit: the most that he lets himself bet on a box (decision 25).

Lowering counts at once, always. A raise, or an end of the limit, may be asked for once
a week and waits: see `weeks`. What is less than what will be in force is no raise, so a
waiting raise can be made smaller or taken back at any time; the week stays used.
"""

import datetime as dt
from typing import Any, Final, NamedTuple

from service.store.database import Database
from service.store.limits import LimitRow, Whose, find_limit, put_limit
from service.store.significant import PLAYER, Significant, note
from service.weeks import Weeks

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class RaiseUsed(Exception):
    """A raise was asked for this week; ``again_at`` is when the next one may be.

    Microseconds since 1970 UTC.
    """

    def __init__(self, again_at: int) -> None:
        super().__init__("a raise was asked for this week")
        self.again_at = again_at


class OwnLimit(NamedTuple):
    """A limit as it stands at a moment; money in minor units, None is no limit.

    Times are microseconds since 1970 UTC; ``since`` is None where none was ever set.
    """

    maximum: int | None
    since: int | None
    waits_until: int | None
    """When ``waiting`` is in force; None: nothing waits."""
    waiting: int | None
    raise_from: int | None
    """From when on a raise may be asked for; None is now."""


def limit_of(db: Database, weeks: Weeks, whose: Whose) -> OwnLimit:
    """Return a player's own limit now. Raises DatabaseUnavailable."""
    now, row = find_limit(db, whose)
    return standing(row, now, weeks)


def change_limit(
    db: Database, weeks: Weeks, whose: Whose, maximum: int | None
) -> OwnLimit:
    """Make a player's own limit what he wishes; return how it stands after it.

    It is noted, together with what was so before. Raises RaiseUsed or
    DatabaseUnavailable.
    """
    while True:  # each turn that is lost is another's change, who had the PIN, too
        now, row = find_limit(db, whose)
        wished = changed(row, maximum, now, weeks)
        if wished is row or _put(db, whose, row, wished, now):
            return standing(wished, now, weeks)


def standing(row: LimitRow, now: int, weeks: Weeks) -> OwnLimit:
    """Return how a limit stands at a moment."""
    row = _arrived(row, now)
    return OwnLimit(
        maximum=row.amount,
        since=row.since,
        waits_until=row.next_at,
        waiting=row.next_amount,
        raise_from=_raise_from(row, now, weeks),
    )


def changed(row: LimitRow, wished: int | None, now: int, weeks: Weeks) -> LimitRow:
    """Return the limit that follows when this one is wished at a moment.

    It is `row` itself if that is what is in force or waits already. Raises RaiseUsed.
    """
    kept = _arrived(row, now)
    waits = kept.next_at is not None
    coming = kept.next_amount if waits else kept.amount
    if wished == coming:
        return row
    kept = kept._replace(ver=row.ver + 1)
    if not _is_above(wished, kept.amount):
        since = kept.since if wished == kept.amount else now
        return kept._replace(amount=wished, since=since, next_amount=None, next_at=None)
    if waits and _is_above(coming, wished):
        return kept._replace(next_amount=wished)
    again_at = _raise_from(kept, now, weeks)
    if again_at is not None:
        raise RaiseUsed(again_at)
    return kept._replace(next_amount=wished, next_at=weeks.in_force(now), raised_at=now)


def _put(db: Database, whose: Whose, row: LimitRow, wished: LimitRow, now: int) -> bool:
    """Keep a changed limit and note it; False if another change was faster."""
    with db.transaction():
        if not put_limit(db, whose, wished):
            return False
        event = Significant(
            kind="limit_changed",
            at=now,
            who=PLAYER,
            operator=whose.operator,
            player=whose.player,
            before=_told(_arrived(row, now)),
            after=_told(wished),
            data={"currency": whose.currency},
        )
        note(db, event)
    return True


def _told(row: LimitRow) -> dict[str, Any]:
    """Return a limit for an event; a maximum that is null is none."""
    waits = None
    if row.next_at is not None:
        since = _EPOCH + dt.timedelta(microseconds=row.next_at)
        waits = {"maximum": row.next_amount, "from": f"{since:%Y-%m-%dT%H:%M:%S.%fZ}"}
    return {"maximum": row.amount, "waiting": waits}


def _arrived(row: LimitRow, now: int) -> LimitRow:
    """Return a limit with what has waited long enough in force."""
    if row.next_at is None or row.next_at > now:
        return row
    return row._replace(
        amount=row.next_amount, since=row.next_at, next_amount=None, next_at=None
    )


def _raise_from(row: LimitRow, now: int, weeks: Weeks) -> int | None:
    if row.raised_at is None or row.raised_at < weeks.start(now):
        return None
    return weeks.next_start(row.raised_at)


def _is_above(one: int | None, other: int | None) -> bool:
    """Tell whether a limit lets more be bet than another; None lets all."""
    return other is not None and (one is None or one > other)
