"""Times and days in a query, beyond what the contract's patterns can say."""

import datetime as dt
from typing import Final

from service.api.asked import Asked
from service.api.problems import Problem

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
DAY: Final = dt.timedelta(days=1)


def moment(asked: Asked, name: str) -> int | None:
    """Return a time that was sent, in microseconds since 1970 UTC; None without it.

    Raises Problem `invalid` for one that is in no calendar.
    """
    sent: str | None = asked.query[name]
    if sent is None:
        return None
    try:
        return (dt.datetime.fromisoformat(sent) - _EPOCH) // _MICROSECOND
    except ValueError:
        raise wrong_time(name, "malformed", "is no time of the calendar") from None


def days(asked: Asked, most: int) -> tuple[dt.date, dt.date]:
    """Return the first and the last day that are asked for, `most` at most.

    Raises Problem `invalid`.
    """
    first, last = _day(asked, "from"), _day(asked, "to")
    if not 0 <= (last - first).days < most:
        detail = f"must be {first} or one of the {most - 1} days after it"
        raise wrong_time("to", "not_allowed", detail)
    return first, last


def midnight(day: dt.date) -> int:
    """Return when a day begins in UTC, in microseconds since 1970."""
    return (day - _EPOCH.date()) // _MICROSECOND


def wrong_time(name: str, code: str, detail: str) -> Problem:
    """Return the problem of a parameter that says when."""
    errors = [{"pointer": f"query:{name}", "code": code, "detail": detail}]
    return Problem("invalid", "1 value is not as the contract says.", errors=errors)


def _day(asked: Asked, name: str) -> dt.date:
    try:
        return dt.date.fromisoformat(asked.query[name])
    except ValueError:
        raise wrong_time(name, "malformed", "is no day of the calendar") from None
