"""Measure deals, hits and settlements beside a Flask hello and beside bare SQL.

`make bench` runs it. All in one run, since machines differ and days do too: the
figures take turns, and what counts is their ratio.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from typing import Final, NamedTuple

import psycopg
from rich.console import Console

from tests.bench.bare import Bare
from tests.bench.inside import microseconds
from tests.bench.load import BenchFault, Figure, Requests, Run, wrk_program
from tests.bench.prepared import Prepared
from tests.bench.report import (
    SECTION,
    Report,
    how,
    keep_section,
    machine_of,
    markdown,
    tables,
)
from tests.bench.site import HELLO, ROOT, WORKERS, Site, site
from tests.bench.statements import statements_of
from tests.support.processes import busy_seconds, cpu_seconds

SNIPPET: Final = ROOT / "docs" / "bench.md"
_HELLO: Final = b"GET / HTTP/1.1\r\nHost: bench\r\n\r\n"
_COUNTED: Final = 40
_WARM_SECONDS: Final = 1


class Plan(NamedTuple):
    """How often to measure each figure, and for how long."""

    turns: int
    seconds: int


FULL: Final = Plan(turns=3, seconds=5)
QUICK: Final = Plan(turns=1, seconds=1)


class Others:
    """Adds up what programs other than the bench take of the machine."""

    def __init__(self) -> None:
        self._used = self._possible = 0.0

    @property
    def share(self) -> float:
        """Their part of all that the cores could have given, 0 to 1."""
        return self._used / self._possible

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch while the block runs."""
        begun, used = time.monotonic(), self._seconds()
        yield
        cores = len(os.sched_getaffinity(0))
        self._possible += (time.monotonic() - begun) * cores
        # A tick of the kernel's here and there may make it less than nothing.
        self._used += max(0.0, self._seconds() - used)

    @staticmethod
    def _seconds() -> float:
        return busy_seconds() - cpu_seconds(os.getpid())


def measure(place: Site, plan: Plan, console: Console) -> Report:
    """Let the figures take turns, then count. Raises BenchFault."""
    with closing(Prepared(place)) as prepared:
        upcard, hello = place.gunicorn(), place.gunicorn(HELLO)
        server = (upcard.port, upcard.pid, place.server.pid)
        loads = {
            "act": Requests(server, 1_500, prepared.hits),
            "deal": Requests(server, 1_000, prepared.deals),
            "paid deal": Requests(server, 1_000, prepared.paid_deals),
            "bonus deal": Requests(server, 1_000, prepared.bonus_deals),
            "settle": Requests(server, 1_500, prepared.settlements),
        }
        figures: dict[str, Figure] = {
            "hello": Requests(
                (hello.port, hello.pid, None), 15_000, lambda count: [_HELLO] * count
            ),
            "pgbench": Bare(place, prepared.example()),
            **loads,
        }
        others = Others()
        runs = _runs(place, plan, figures, others, console)
        counted = {name: load.take(_COUNTED) for name, load in loads.items()}
    place.count_statements()
    statements = {
        name: statements_of(place, upcard, requests)
        for name, requests in counted.items()
    }
    console.print("measuring inside one process")
    return Report(
        machine_of(version_of(place)),
        WORKERS,
        others.share,
        runs,
        statements,
        microseconds(),
    )


def _runs(
    place: Site,
    plan: Plan,
    figures: Mapping[str, Figure],
    others: Others,
    console: Console,
) -> dict[str, list[Run]]:
    """Let the figures take turns; the first turn warms up and is forgotten."""
    runs: dict[str, list[Run]] = {name: [] for name in figures}
    for turn in range(plan.turns + 1):
        seconds = plan.seconds if turn else _WARM_SECONDS
        for figure in figures.values():
            figure.prepare(seconds)
        _settle_down(place)
        for name, figure in figures.items():
            with others.watched() if turn else nullcontext():
                run = figure.run(seconds)
            if turn:
                runs[name].append(run)
                console.print(f"turn {turn}: {name} {run.rate:,.0f} a second")
    return runs


def _settle_down(place: Site) -> None:
    """Leave PostgreSQL nothing to catch up on."""
    with psycopg.connect(place.server.dsn, autocommit=True) as owner:
        owner.execute("VACUUM ANALYZE")
        owner.execute("CHECKPOINT")


def version_of(place: Site) -> str:
    """Return PostgreSQL's version."""
    with psycopg.connect(place.server.dsn) as owner:
        return owner.info.parameter_status("server_version") or "unknown"


def main() -> None:
    """Run the bench, print what it found, and write docs/bench.md."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="one short turn, to see that the bench works; writes no file",
    )
    plan = QUICK if parser.parse_args().quick else FULL
    console = Console(highlight=False)
    try:
        wrk_program()
        with site() as place:
            report = measure(place, plan, console)
    except BenchFault as fault:
        sys.exit(f"make bench: {fault}")
    for table in tables(report):
        console.print(table)
    console.print(how(report))
    if plan is FULL:
        SNIPPET.parent.mkdir(exist_ok=True)
        former = SNIPPET.read_text("utf-8") if SNIPPET.exists() else ""
        _, found, growth = former.partition(SECTION)
        page = keep_section(markdown(report), growth if found else None)
        SNIPPET.write_text(page, "utf-8")
        console.print(f"Written to {SNIPPET.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
