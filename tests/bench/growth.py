"""Measure what a database of a million rounds costs: `make bench-growth`.

It makes the rounds by COPY in a PostgreSQL of its own (`patterns.py`, `grown.py`), and
goes on where it was when it is run again with the same folder.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Final

import psycopg
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from service.embedded.home import Home
from service.sealing import KeyRing
from service.store.database import Database, clock
from tests.bench.grown import Grown
from tests.bench.inspecting import inspecting_of
from tests.bench.measures import Found, measures
from tests.bench.patterns import patterns
from tests.bench.report import Machine, keep_section, machine_of
from tests.bench.run import version_of
from tests.bench.site import ROOT, Site
from tests.bench.voids import voiding_of

MILLION: Final = 1_000_000
SMALL: Final = 10_000
"""Rounds of the database that the large one is held against."""
_WRITTEN: Final = 100_000
"""From so many rounds on, what was found is written down."""
_MONTHS: Final = 14
_MONTH: Final = 30 * 86_400 * 1_000_000
_PATTERNS: Final = 3_000
_PAGE: Final = ROOT / "docs" / "bench.md"
_HEAD: Final = ("", "at most or least", "got", "")
_SETTINGS: Final = MappingProxyType(
    {"shared_preload_libraries": "pg_stat_statements", "max_wal_size": "8GB"}
)
_STATE: Final = "CREATE TABLE IF NOT EXISTS growth (begun_at bigint NOT NULL)"


class Growth:
    """A database that grows, and remembers when it began."""

    def __init__(self, site: Site, console: Console) -> None:
        self.site: Final = site
        self.console: Final = console
        with psycopg.connect(site.server.dsn) as owner:
            owner.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
            owner.execute(_STATE)
            if owner.execute("SELECT FROM growth").fetchone() is None:
                db = Database(site.server.dsn)
                first = clock(db) - _MONTHS * _MONTH
                db.close()
                owner.execute("INSERT INTO growth VALUES (%s)", [first])

    @property
    def rounds(self) -> int:
        """How many finished rounds there are."""
        statement = "SELECT count(*) FROM round WHERE closed_at IS NOT NULL"
        return self._one(statement)

    @property
    def begun_at(self) -> int:
        """The time of the first round, in microseconds since 1970 UTC."""
        return self._one("SELECT begun_at FROM growth")

    def grow(self, rounds: int) -> None:
        """Add rounds until there are so many, which last 14 months."""
        have = self.rounds
        if have >= rounds:
            return
        self.console.print(f"playing {_PATTERNS} rounds as patterns")
        played = patterns(_PATTERNS, Random(1))  # noqa: S311 - rounds to measure
        grown = Grown(self.site.server.dsn, KeyRing.from_file(self.site.shoe_keys))
        first, step = self.begun_at, _MONTHS * _MONTH // rounds
        with Progress(
            *(TextColumn("rounds"), BarColumn(), MofNCompleteColumn()),
            TimeRemainingColumn(),
            console=self.console,
        ) as bar:
            task = bar.add_task("", total=rounds, completed=have)
            grown.grow(
                played,
                range(have, rounds),
                lambda number: first + number * step,
                lambda done: bar.update(task, completed=done),
            )
        self.console.print("tidying up: VACUUM ANALYZE, CHECKPOINT")
        with psycopg.connect(self.site.server.dsn, autocommit=True) as owner:
            owner.execute("VACUUM (ANALYZE)")
            owner.execute("CHECKPOINT")

    def _one(self, statement: str) -> int:
        with psycopg.connect(self.site.server.dsn) as owner:
            row = owner.execute(statement.encode()).fetchone()
        assert row is not None, statement
        return int(row[0])


@contextmanager
def growth(folder: Path, console: Console) -> Iterator[Growth]:
    """Start the PostgreSQL of a folder, which is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711)
    home = Home(folder)
    with home.locked(), ExitStack() as stack:
        yield Growth(Site(home, stack, _SETTINGS), console)


def measured(place: Growth, small: Growth, rounds: int) -> list[Found]:
    """Grow both databases, and measure the large one beside the small."""
    small.grow(min(SMALL, rounds))
    place.grow(rounds)
    place.console.print(f"measuring at {place.rounds:,} rounds")
    found = measures(place.site, small.site)
    place.console.print("voiding what was left")
    found += voiding_of(place.site)
    place.console.print("sealing and verifying all of it")
    return [*found, *inspecting_of(place.site, place.console)]


def table_of(found: list[Found]) -> Table:
    """Return what was found, for the terminal."""
    table = Table(title="Growth", title_justify="left")
    for head in _HEAD:
        table.add_column(head)
    for one in found:
        sign = {True: "[green]met[/]", False: "[red]missed[/]", None: ""}[one.met]
        table.add_row(one.name, one.target, one.got, sign)
    return table


def section(machine: Machine, rounds: int, found: list[Found]) -> str:
    """Return the section of docs/bench.md."""
    load = os.getloadavg()[0]
    how = (
        f"`make bench-growth` writes this section. Measured on {machine.date} with "
        f"{rounds:,} rounds of 14 months on the ledger, {machine.cores} cores "
        f"({machine.model}), Python {machine.python}, the embedded PostgreSQL "
        f"{machine.postgresql}. Times are PostgreSQL's own (pg_stat_statements, "
        "a mean of many), CPU is that of its one process. The targets are for "
        f"{MILLION:,} rounds on a quiet machine; its load was {load:.1f}."
    )
    lines = [
        *(how, ""),
        f"| {' | '.join(_HEAD)} |",
        f"|{'---|' * len(_HEAD)}",
    ]
    signs = {True: "met", False: "**missed**", None: ""}
    lines += [
        f"| {one.name} | {one.target} | {one.got} | {signs[one.met]} |" for one in found
    ]
    return "\n".join(lines)


def main() -> None:
    """Make the rounds, measure, print what was found, and write it down."""
    parser = argparse.ArgumentParser(prog="make bench-growth", description=__doc__)
    parser.add_argument("--rounds", type=int, default=MILLION)
    usual = Path(tempfile.gettempdir(), "upcard-growth")
    parser.add_argument("--folder", type=Path, default=usual)
    given = parser.parse_args()
    console = Console(highlight=False)
    with (
        growth(given.folder, console) as place,
        growth(given.folder / "small", console) as small,
    ):
        found = measured(place, small, given.rounds)
        rounds, machine = place.rounds, machine_of(version_of(place.site))
    console.print(table_of(found))
    if given.rounds >= _WRITTEN:
        text = _PAGE.read_text("utf-8")
        _PAGE.write_text(keep_section(text, section(machine, rounds, found)), "utf-8")
        console.print(f"Written to {_PAGE.relative_to(ROOT)}.")
    if any(one.met is False for one in found):
        sys.exit(1)


if __name__ == "__main__":
    main()
