"""How fast the log is sealed, and every round verified."""

import datetime as dt
import time
from collections.abc import Iterator
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from service.inspection import Inspector, no_archive
from service.keyfile import KeyFile
from service.seals.seal import SealKeys
from service.store.inspection import everything, keep_moment
from service.store.seals import last_day, make_seal, seals
from service.store.tables import all_table_versions
from tests.bench.measures import Found, Place
from tests.bench.site import Site

_KEYS: Final = SealKeys(KeyFile.from_text(KeyFile.fresh_text("bench"), "bench"))
_RATE: Final = 20_000
_FIRST: Final = dt.date(2020, 1, 1)
_EPOCH: Final = dt.date(1970, 1, 1)
_DIGITS: Final = 8


def inspecting(place: Place, console: Console) -> Iterator[Found]:
    """Seal what is not sealed, then verify all, with one process."""
    yield _sealed(place)
    sources = {row.version: row.source for row in all_table_versions(place.database)}
    signed = list(seals(place.database))
    trusted = [one.public_key for one in signed]
    inspector = Inspector(place.ring, sources, signed, trusted, no_archive)
    took, cpu, wrong = 0.0, 0.0, 0

    def work() -> None:
        nonlocal took, cpu, wrong
        begun, client = time.perf_counter(), time.process_time()
        with place.database.transaction(), _bar(console) as bar:
            keep_moment(place.database)
            task = bar.add_task("", total=16**_DIGITS)
            found = inspector.inspect(
                everything(place.database),
                lambda name: bar.update(task, completed=int(name[:_DIGITS], 16)),
            )
            wrong = sum(1 for _ in found)
        took, cpu = time.perf_counter() - begun, time.process_time() - client

    server = place.cpu(work)
    assert not wrong, f"{wrong} findings in rounds that nobody changed"
    rows = inspector.counts["rows"]
    rate = rows / cpu
    got = (
        f"{rate:,.0f} a second of its CPU ({rows / took:,.0f} by the clock, "
        f"{server / rows:.1f} us of PostgreSQL's CPU a row)"
    )
    yield Found("rows verified", f"{_RATE:,}", got, rate, rate >= _RATE)


def inspecting_of(site: Site, console: Console) -> list[Found]:
    """Seal and verify what there is at a site."""
    place = Place(site)
    try:
        return list(inspecting(place, console))
    finally:
        place.database.close()


def _sealed(place: Place) -> Found:
    last = last_day(place.database)
    day = _FIRST if last is None else last + dt.timedelta(1)
    # Of long ago, as its day: rounds that are grown later are none that were made up.
    at = (day - _EPOCH) // dt.timedelta(microseconds=1)
    begun = time.perf_counter()
    signed = make_seal(place.database, _KEYS, day, at)
    took = time.perf_counter() - begun
    got = f"{took:.1f} s, {signed.seal.leaves:,} rounds"
    return Found("a seal of all that is not sealed", "", got, took)


def _bar(console: Console) -> Progress:
    columns = (TextColumn("verifying"), BarColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console)
