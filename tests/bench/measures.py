"""What is measured of a database that has grown, and what it must not exceed."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

import psycopg

from service.api.log import open_log
from service.api.tokens import account_of
from service.catalog import Catalog
from service.chance import new_id
from service.dealing import Wish
from service.house import House
from service.meters import Meters
from service.operators import OperatorKeys
from service.play import Play
from service.recorded import Ask
from service.rules.commands import BoxWager
from service.sealing import KeyRing
from service.store.database import Database
from service.store.history import NEWEST, Sought, past_rounds
from service.store.history import Place as Spot
from service.store.rounds import open_rounds
from service.wallet.calls import Calls
from service.wallet.wallets import Wallets
from tests.bench.grown import HEAVY
from tests.bench.prepared import BOXES, CURRENCY, FOR_HIT, TABLE, Rigged
from tests.bench.site import OPERATOR, Site

_TIMES: Final = 200
_ACTS: Final = 100
_TURNS: Final = 40
_MORE: Final = 0.15
_MEAN: Final = """
SELECT sum(total_exec_time) FROM pg_stat_statements
WHERE userid = 'upcard_service'::regrole AND calls >= %s
"""
_MICRO: Final = 1_000
_ITEMS: Final = 21
"""Rounds that a page of 20 reads: one more says that there is another page."""
_PAST: Final = """
SELECT count(*) FROM round WHERE account = %s AND closed_at IS NOT NULL
"""
_DEEP: Final = """
SELECT opened_at, round FROM round WHERE account = %s AND closed_at IS NOT NULL
ORDER BY opened_at DESC, round DESC OFFSET %s LIMIT 1
"""
_FILTERED: Final = 10
"""Milliseconds of a page that nothing fits: it looks through one account's index."""
ALL: Final = Sought()
FILTERS: Final = {
    "one table": Sought(table_id="classic-three"),
    "a table that he never played": Sought(table_id="no-such-table"),
    "lost ones": Sought(result="lost"),
    "void ones": Sought(ending="void"),
    "a currency that he has not": Sought(currency="JPY"),
}


class Found(NamedTuple):
    """A figure, in words and as a number, and whether it is as it should be."""

    name: str
    target: str
    got: str
    value: float
    met: bool | None = None


class Place:
    """What the measures work with: the service's own parts, on one connection."""

    def __init__(self, site: Site) -> None:
        self.site: Final = site
        self.database: Final = Database(site.server.dsn)
        self.ring: Final = KeyRing.from_file(site.shoe_keys)
        self.log: Final = open_log(requests=False)
        calls = Calls(OperatorKeys(self.database, self.ring), self.log)
        wallets = Wallets(self.database, calls)
        parts = (self.database, Catalog(self.database), wallets, self.ring)
        meters = Meters(self.database)
        self.house: Final = House(*parts, Rigged(FOR_HIT), meters)
        self.play: Final = Play(self.house)

    def mean(self, work: Callable[[], object], times: int = _TIMES) -> float:
        """Return the mean time in PostgreSQL of what `work` asks, in milliseconds."""
        for _ in range(times // 4):
            work()
        with psycopg.connect(self.site.server.dsn, autocommit=True) as owner:
            owner.execute("SELECT pg_stat_statements_reset()")
            for _ in range(times):
                work()
            ((total,),) = owner.execute(_MEAN, [times]).fetchall()
        return float(total or 0) / times

    def cpu(self, work: Callable[[], object]) -> float:
        """Return the CPU time that `work` takes in PostgreSQL, in microseconds."""
        ((pid,),) = self.database.read("SELECT pg_backend_pid()")
        begun = _on_cpu(pid)
        work()
        return (_on_cpu(pid) - begun) / _MICRO


def measures(site: Site, small: Site) -> list[Found]:
    """Measure all; `small` is a site with few rounds, which an act is held against."""
    place, other = Place(site), Place(small)
    try:
        return [*_reads(place), _act(place, other)]
    finally:
        place.database.close()
        other.database.close()


def _reads(place: Place) -> Iterator[Found]:
    account = account_of(OPERATOR, HEAVY, "real")
    took = place.mean(lambda: open_rounds(place.database, account))
    name = "open rounds of a player with every tenth round"
    yield _at_most(name, took, 0.1)
    yield from _history(place, account)


def _history(place: Place, account: str) -> Iterator[Found]:
    """Read pages of the history of a player with every tenth round, near and far."""
    counted = place.database.read(_PAST, (account,))
    ((count,),) = counted
    depth = place.database.read(_DEEP, (account, count * 9 // 10))
    deep = Spot(*depth[0])

    def page(before: Spot, sought: Sought = ALL) -> float:
        read = (place.database, account, sought, before, _ITEMS)
        return place.mean(lambda: past_rounds(*read))

    first = page(NEWEST)
    yield _at_most(f"the first page of {count:,} past rounds", first, 1)
    took = page(deep)
    yield _at_most("a page at 90 % of their depth", took, 1)
    most = round(first * 1.3, 3)
    yield _at_most("the same, against 1.3 times the first", took, most)
    for name, sought in FILTERS.items():
        took = page(NEWEST, sought)
        yield _at_most(f"the first page of {name}", took, _FILTERED)


def _act(place: Place, other: Place) -> Found:
    """Hit rounds that were dealt for it: a SELECT and an INSERT each.

    In turns, first one then the other, and of each the turn in the middle: so what else
    the machine does slows both.
    """
    took: dict[Place, list[float]] = {place: [], other: []}
    for _ in range(_TURNS):
        for each, turns in took.items():
            dealt = [_dealt(each.play) for _ in range(_ACTS)]
            turns.append(each.cpu(partial(_hit, each.play, dealt)) / _ACTS)
    large, small = (median(turns) for turns in took.values())
    more = large / small - 1
    return Found(
        "PostgreSQL's CPU of an act",
        "15 % above 10,000 rounds",
        f"{large:.1f} us beside {small:.1f} us: {more:+.1%}",
        more,
        more <= _MORE,
    )


def _hit(play: Play, rounds: list[tuple[Ask, str]]) -> None:
    for ask, round_id in rounds:
        play.act(ask._replace(key=new_id()), round_id, 1, "1a", "hit")


def _dealt(play: Play) -> tuple[Ask, str]:
    player = f"p{new_id()}"
    account = account_of(OPERATOR, player, "demo")
    ask = Ask(account, player, new_id(), bytes(32), operator=OPERATOR, mode="demo")
    boxes = tuple(BoxWager(box, player, wager) for box, wager in BOXES)
    wish = Wish(TABLE, CURRENCY, boxes, raise_to_minimum=False)
    return ask, play.deal(ask, wish).round_id


def _at_most(name: str, took: float, most: float) -> Found:
    return Found(name, f"{most:g} ms", f"{took:.3f} ms", took, took <= most)


def _on_cpu(pid: int) -> int:
    """Return how long a process has been on a core, in nanoseconds; see proc(5)."""
    return int(Path(f"/proc/{pid}/schedstat").read_text("utf-8").split()[0])
