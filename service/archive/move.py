"""Move rounds that ended long ago from the database to files.

A day after the other, some thousand rounds to a file: it is written, it is on the disk,
it is read again and is what was in the database; then its rounds are deleted there, all
at once. What is killed on the way does the same again: the same rounds come first, and
the same rounds make the same file.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final

from service.archive.files import BLOCK, Archive, Archived, Written
from service.store.archive import (
    ArchiveFile,
    ArchiveRaced,
    Ended,
    drop,
    logs_of,
    next_ended,
    oldest_ended,
    shoes_of,
)
from service.store.chain import check_chain
from service.store.database import Database
from service.store.errors import ArchiveUnavailable

BATCH: Final = 5_000
"""Rounds of one file."""
_SLICE: Final = 512
"""Rounds that are read at a time."""
_TRIES: Final = 5
LEAST_MONTHS: Final = 12
"""For so long a round stays on line."""
_EPOCH: Final = dt.date(1970, 1, 1)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_DAY: Final = 86_400_000_000


def cutoff(now: int, months: int) -> int:
    """Return the midnight (UTC) of the day so many months before a time.

    Times are microseconds since 1970; a day that its month lacks is the month's last.

    >>> at = 1_709_208_000_000_000  # noon of 2024-02-29
    >>> (dt.datetime(1970, 1, 1) + cutoff(at, 12) * dt.timedelta(microseconds=1)).date()
    datetime.date(2023, 2, 28)
    """
    today = _EPOCH + dt.timedelta(microseconds=now)
    year, month = divmod(today.year * 12 + today.month - 1 - months, 12)
    day = today.day
    while True:
        try:
            found = dt.date(year, month + 1, day)
        except ValueError:
            day -= 1
        else:
            return (found - _EPOCH) // _MICROSECOND


def archive_rounds(
    db: Database,
    archive: Archive,
    before: int,
    note: Callable[[Written], None],
    batch: int = BATCH,
) -> None:
    """Move every round that ended before a midnight (UTC); tell of each file.

    Raises ChainBroken for a log that is not as written, ArchiveUnavailable for a file
    that can't be read again, OSError or DatabaseUnavailable; nothing is lost then.
    """
    while (oldest := oldest_ended(db, before)) is not None:
        written = _surely(db, archive, oldest - oldest % _DAY, batch)
        if written is not None:
            note(written)


def _surely(db: Database, archive: Archive, day: int, batch: int) -> Written | None:
    """Move the next rounds of a day, again if they are not as they were read."""
    for _ in range(_TRIES):
        try:
            return _moved(db, archive, day, batch)
        except ArchiveRaced:
            continue
    raise ArchiveUnavailable("rounds change as they are archived; run it again")


def _moved(db: Database, archive: Archive, day: int, batch: int) -> Written | None:
    """Move the next rounds of a day; None if another archiver has had them by now."""
    chosen = next_ended(db, day, day + _DAY, batch)
    if not chosen:
        return None
    chosen.sort(key=lambda one: one.round_id)
    name = (_EPOCH + dt.timedelta(microseconds=day)).isoformat()
    written = archive.write(name, _rounds(db, chosen))
    _compare(written, archive, _rounds(db, chosen))
    drop(db, chosen, ArchiveFile(*written))
    return written


def _rounds(db: Database, chosen: Sequence[Ended]) -> Iterator[Archived]:
    """Yield what is kept of rounds, in their order."""
    for first in range(0, len(chosen), _SLICE):
        some = chosen[first : first + _SLICE]
        shoes = shoes_of(db, some)
        for (account, round_id), rows in groupby(
            logs_of(db, some), lambda row: (row.account, row.round_id)
        ):
            kept = tuple(rows)
            check_chain(kept)
            yield Archived(account, round_id, kept, shoes.get(round_id))


def _compare(written: Written, archive: Archive, rounds: Iterator[Archived]) -> None:
    """See that a file is whole and holds what the database does.

    Raises ArchiveUnavailable or ArchiveRaced.
    """
    if archive.digest(written.name) != written.digest:
        raise ArchiveUnavailable(f"{written.name}: is not what was written")
    count = 0
    for found, one in zip(archive.rounds(written.name), rounds, strict=False):
        if found != one:
            raise ArchiveRaced
        if count % BLOCK == 0 and archive.find(written.name, one.round_id) != one:
            raise ArchiveUnavailable(f"{written.name}: its index is wrong")
        count += 1
    if count != written.rounds:
        raise ArchiveRaced
