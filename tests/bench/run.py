"""Measure deals, hits and settlements beside a Flask hello and beside bare SQL.

`make bench` runs it. All in one run, since machines differ and days do too: the
figures take turns, and what counts is their ratio.
"""

import argparse
import os
import sys
import time
from collections.abc import Mapping
from typing import Final, NamedTuple

import psycopg
from rich.console import Console

from tests.bench.bare import Bare
from tests.bench.inside import microseconds
from tests.bench.load import BenchFault, Figure, Requests, Run, wrk_program
from tests.bench.prepared import Prepared
from tests.bench.report import Report, how, machine_of, markdown, tables
from tests.bench.site import HELLO, ROOT, WORKERS, Site, site
from tests.bench.statements import statements_of
from tests.support.processes import busy_seconds, cpu_seconds

SNIPPET: Final = ROOT / "docs" / "bench.md"
_HELLO: Final = b"GET / HTTP/1.1\r\nHost: bench\r\n\r\n"
_COUNTED: Final = 40
_WARM_SECONDS: Final = 1


class Plan(NamedTuple):
    """How long to measure, and the most requests a second to be ready for."""

    turns: int
    seconds: int
    hello: int = 15_000
    act: int = 2_000
    deal: int = 1_500
    settle: int = 2_000

    def count(self, rate: int) -> int:
        """Return how many requests all runs can use, and some to count by."""
        return rate * (self.turns * self.seconds + _WARM_SECONDS) + 2 * _COUNTED


FULL: Final = Plan(turns=3, seconds=5)
QUICK: Final = Plan(turns=1, seconds=1)


class Others:
    """What programs other than the bench take of the machine, from now on."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._used = self._seconds()

    def share(self) -> float:
        """Return their part of all that the cores could have given, 0 to 1."""
        cores = len(os.sched_getaffinity(0))
        possible = (time.monotonic() - self._begun) * cores
        return max(0.0, (self._seconds() - self._used) / possible)

    @staticmethod
    def _seconds() -> float:
        return busy_seconds() - cpu_seconds(os.getpid())


def measure(place: Site, plan: Plan, console: Console) -> Report:
    """Prepare, measure, count. Raises BenchFault."""
    prepared = Prepared(place)
    hits = prepared.hits(plan.count(plan.act))
    settlements = prepared.settlements(plan.count(plan.settle))
    deals = prepared.deals(plan.count(plan.deal))
    bare = Bare(place, prepared.example())
    prepared.close()
    version = _settled_down(place)
    upcard, hello = place.gunicorn(), place.gunicorn(HELLO)
    pids = (upcard.pid, place.server.pid)
    loads: dict[str, Requests] = {
        "act": Requests(upcard.port, pids, hits),
        "deal": Requests(upcard.port, pids, deals),
        "settle": Requests(upcard.port, pids, settlements),
    }
    hellos = [_HELLO] * plan.count(plan.hello)
    beside: dict[str, Figure] = {
        "hello": Requests(hello.port, (hello.pid, None), hellos),
        "pgbench": bare,
    }
    others = Others()
    runs = _runs(plan, {**beside, **loads}, console)
    share = others.share()
    place.count_statements()
    statements = {
        name: statements_of(place, upcard, load.take(_COUNTED))
        for name, load in loads.items()
    }
    return Report(machine_of(version), WORKERS, share, runs, statements, microseconds())


def _runs(
    plan: Plan, figures: Mapping[str, Figure], console: Console
) -> dict[str, list[Run]]:
    """Let the figures take turns; the first turn warms up and is forgotten."""
    for figure in figures.values():
        figure.run(_WARM_SECONDS)
    runs: dict[str, list[Run]] = {name: [] for name in figures}
    for turn in range(1, plan.turns + 1):
        for name, figure in figures.items():
            run = figure.run(plan.seconds)
            runs[name].append(run)
            console.print(f"turn {turn}: {name} {run.rate:,.0f} a second")
    return runs


def _settled_down(place: Site) -> str:
    """Leave PostgreSQL nothing to catch up on; return its version."""
    with psycopg.connect(place.server.dsn, autocommit=True) as owner:
        owner.execute("VACUUM ANALYZE")
        owner.execute("CHECKPOINT")
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
        SNIPPET.write_text(markdown(report), "utf-8")
        console.print(f"Written to {SNIPPET.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
