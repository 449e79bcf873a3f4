"""How fast rounds are voided that were left: `python -m tests.bench.voids`.

`make bench-growth` measures it among a million other rounds.
"""

import argparse
import time
from contextlib import ExitStack
from random import Random
from types import MappingProxyType
from typing import Final

import psycopg

from service.chance import new_id
from service.jobs.ending import VOID
from service.jobs.rounds import Rounds
from service.store.database import clock
from tests.bench.grown import Grown
from tests.bench.measures import Found, Place
from tests.bench.patterns import unfinished
from tests.bench.site import Site
from tests.support.postgres import fresh_home

LEFT: Final = 10_000
"""Rounds to be voided."""
_PATTERNS: Final = 500
_DAY: Final = 86_400 * 1_000_000
_AGE: Final = 91 * _DAY
_RATE: Final = 1_500
_LONGEST: Final = 50
_SLOWEST: Final = """
SELECT max(max_exec_time) FROM pg_stat_statements
WHERE userid = 'upcard_service'::regrole
"""


def voiding(place: Place, left: int) -> list[Found]:
    """Leave rounds 91 days ago, void them with one process, and say how long it took.

    From the claim to the COMMIT: fold, hash, ledger and all.
    """
    site = place.site
    played = unfinished(_PATTERNS, Random(2))  # noqa: S311 - rounds to measure
    grown = Grown(site.server.dsn, place.ring)
    grown.leave(played, f"left-{new_id()}", left, clock(place.database) - _AGE)
    job = Rounds(place.house, VOID, 0, place.log)
    words: list[str] = []
    with psycopg.connect(site.server.dsn, autocommit=True) as owner:
        owner.execute("VACUUM (ANALYZE)")
        owner.execute("SELECT pg_stat_statements_reset()")
        begun, client = time.perf_counter(), time.process_time()

        def work() -> None:
            while job.run(words.append):
                pass

        server = place.cpu(work)
        took, client = time.perf_counter() - begun, time.process_time() - client
        ((longest,),) = owner.execute(_SLOWEST).fetchall()
    assert words == ["voided"] * left, "each of them, and nothing else"
    rate, cpu = left / took, (client * 1_000_000 + server) / left
    got = f"{rate:,.0f} ({cpu:,.0f} us of CPU each)"
    return [
        Found("rounds voided a second", f"{_RATE:,}", got, rate, rate >= _RATE),
        Found(
            "the longest statement of it",
            f"{_LONGEST} ms",
            f"{longest:.1f} ms",
            longest,
            longest <= _LONGEST,
        ),
    ]


def voiding_of(site: Site, left: int = LEFT) -> list[Found]:
    """Measure it at a site that counts statements."""
    place = Place(site)
    try:
        return voiding(place, left)
    finally:
        place.database.close()


def main() -> None:
    """Measure in a database that holds nothing else."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.voids", description=__doc__
    )
    parser.add_argument("--left", type=int, default=LEFT)
    left = parser.parse_args().left
    settings = MappingProxyType({"shared_preload_libraries": "pg_stat_statements"})
    with fresh_home() as home, home.locked(), ExitStack() as stack:
        site = Site(home, stack, settings)
        with psycopg.connect(site.server.dsn) as owner:
            owner.execute("CREATE EXTENSION pg_stat_statements")
        for found in voiding_of(site, left):
            print(f"{found.name}: {found.got} (wanted: {found.target})")


if __name__ == "__main__":
    main()
