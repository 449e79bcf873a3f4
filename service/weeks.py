"""The weeks of a player's own limit: on which weekday one starts, and in which zone.

A week starts at midnight of the zone's own clock, so in the week of a clock change it
has an hour more or less, and a day at a fixed offset would begin it too early or late.

Source: document 000 ("no more than once per week (Friday 12:00 AM EST)"), decision 25.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

WEEKDAYS: Final = (
    *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_DAY: Final = timedelta(days=1)
_WEEK: Final = 7 * _DAY


class Weeks(NamedTuple):
    """Weeks that start on a weekday (0 is Monday) at midnight in a time zone.

    Times are UTC microseconds since 1970.
    """

    zone: ZoneInfo
    weekday: int

    def start(self, at: int) -> int:
        """Return when the week began that a moment is in."""
        return self._midnight(self._first_day(at))

    def next_start(self, at: int) -> int:
        """Return when the week after the one of a moment begins."""
        return self._midnight(self._first_day(at) + _WEEK)

    def in_force(self, at: int) -> int:
        """Return when a raise is in force that is asked for at a moment.

        It is the start of the next week, or 24 hours later if that comes after it.
        """
        return max(self.next_start(at), at + _DAY // _MICROSECOND)

    def _first_day(self, at: int) -> date:
        local = (_EPOCH + at * _MICROSECOND).astimezone(self.zone)
        return local.date() - (local.weekday() - self.weekday) % 7 * _DAY

    def _midnight(self, day: date) -> int:
        """Return the first moment of a day; where midnight is skipped, what follows."""
        midnight = datetime.combine(day, time(), self.zone)
        return (midnight - _EPOCH) // _MICROSECOND


def week_of(zone: str, weekday: str) -> Weeks:
    """Return the weeks that start on a weekday in a zone of the IANA's.

    Raises ValueError when there is no such zone or weekday.
    """
    try:
        found = ZoneInfo(zone)
    except (ValueError, LookupError, OSError):  # a folder of zones is an OSError
        raise ValueError(f"there is no time zone {zone!r}") from None
    return Weeks(found, WEEKDAYS.index(weekday))


NEW_YORK_FRIDAYS: Final = week_of("America/New_York", "friday")
"""As document 000 says it."""
