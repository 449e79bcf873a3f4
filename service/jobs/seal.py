"""Seal the log, once a day."""

import datetime as dt
from collections.abc import Callable
from typing import Final

from service.jobs.job import Note
from service.seals.seal import SealKeys
from service.store.database import Database, clock
from service.store.errors import SealExists
from service.store.seals import last_day, make_seal, unsealed

SLACK_SECONDS: Final = 300
"""From midnight UTC to the seal of the day that ended: no hurry, and no rush."""
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_SECOND: Final = 1_000_000


class Seals:
    """Makes a seal a day, of all that was written since the former one.

    A day that was missed is covered by the next seal.
    """

    name: Final = "seal"

    def __init__(
        self,
        database: Database,
        keys: SealKeys,
        time_of: Callable[[Database], int] = clock,
    ) -> None:
        self._database = database
        self._keys = keys
        self._time_of = time_of

    def run(self, note: Note) -> bool:
        """Make the seal that is due; there is never more than one."""
        at = self._time_of(self._database)
        day = _day_before(at)
        last = last_day(self._database)
        if last is None or last < day:
            try:
                make_seal(self._database, self._keys, day, at)
            except SealExists:
                return False  # another copy was faster
            note("sealed")
        return False

    def look(self) -> list[str]:
        """Say how much a seal would cover, and what the last one closed."""
        last = last_day(self._database)
        sealed = "no seal yet" if last is None else f"the last seal is of {last}"
        return [f"{unsealed(self._database)} rows to seal; {sealed}"]


def _day_before(at: int) -> dt.date:
    """Return the last day that is over, with some slack (UTC).

    >>> midnight = 1_798_761_600_000_000
    >>> _day_before(midnight + 299 * _SECOND).isoformat()
    '2026-12-30'
    >>> _day_before(midnight + 300 * _SECOND).isoformat()
    '2026-12-31'
    """
    then = _EPOCH + dt.timedelta(microseconds=at - SLACK_SECONDS * _SECOND)
    return then.date() - dt.timedelta(days=1)
