"""A jackpot in a crowd: contributions add up, and each hit is paid once.

`make jackpot` does it with thousands of wagers and a thousand hits.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from typing import Final

import psycopg
import pytest

from service.keyfile import KeyFile
from service.store.database import Database
from service.store.jackpots import hit_sums, moment_of_meters
from tests.jackpot.conftest import load_jackpots
from tests.jackpot.crowd import FUNDS, NATURALS, OPERATOR, Crowd
from tests.support.money import assert_money_is_right
from tests.support.waiting import at_once, readable
from tests.tidy import ROOT

MANY: Final = bool(os.environ.get("UPCARD_MANY"))
CLIENTS: Final = 16
ROUNDS: Final = 100 if MANY else 2
HITS: Final = 1_000 if MANY else 40
WORKERS: Final = 4 if MANY else 2
KILLS: Final = 60 if MANY else 3
RESET: Final = 7_500_000
RING: Final = KeyFile.fresh_text("k1")


def test_aces_that_fell_before_there_was_a_jackpot_take_nothing_from_it(
    without: str,
) -> None:
    cards = "P AS,AC / T,2 | U T | H 7 | AS,AC,5,9"
    before = Crowd(without, RING, cards)
    before.fund("ann")
    at = before.deal("ann", 2, "deal")
    for word in ("hit-1", "hit-2"):
        at = before.play.act(
            before.ask("ann", word), at.round_id, at.version, "1a", "hit"
        )
    load_jackpots(without)
    crowd = Crowd(without, RING, cards)
    (jackpot,) = crowd.meters.jackpots()
    assert crowd.meters.meter(OPERATOR, jackpot).amount == RESET
    for number, hand in enumerate(("1a", "1a", "2a")):
        word = ("hit", "stand", "hit")[number]
        ask = crowd.ask("ann", f"{word}-{hand}-later")
        at = crowd.play.act(ask, at.round_id, at.version, hand, word)  # type: ignore[arg-type]  # mypy takes a word for any text
    sums = hit_sums(crowd.database, OPERATOR, "aces-usd")
    ((meter, _),) = moment_of_meters(crowd.database)
    assert (sums.hits, meter.resets, meter.rest(0)) == (0, RESET, 0)
    crowd.database.close()
    before.database.close()


def test_the_wagers_of_a_crowd_add_up_exactly(
    opened: str, capsys: pytest.CaptureFixture[str]
) -> None:
    crowd = Crowd(opened, RING, NATURALS)
    began = time.monotonic()

    def client(number: int) -> int:
        wagers = crowd.bet(f"bettor-{number}", ROUNDS)
        crowd.meters.fold(OPERATOR, "aces-usd")
        return wagers

    jobs = [lambda n=number: client(n) for number in range(CLIENTS)]
    wagers = [done for done in at_once(jobs) if isinstance(done, int)]
    seconds = time.monotonic() - began
    assert wagers == [ROUNDS * 5] * CLIENTS
    assert crowd.meters.fold(OPERATOR, "aces-usd")
    ((meter, held),) = moment_of_meters(crowd.database)
    assert meter.wagers == sum(wagers) * 100
    assert meter.amount == RESET + sum(wagers) * 15
    assert meter.rest(held.reserved + held.paid) == 0
    crowd.database.close()
    assert_money_is_right(opened)
    if MANY:
        with capsys.disabled():
            rate = sum(wagers) / seconds
            sys.stdout.write(f"\n{rate:.0f} bonus wagers a second, {CLIENTS} clients\n")


class Worker:
    """A process that plays a share of the hits; killed, another one goes on."""

    def __init__(self, dsn: str, first: int, last: int) -> None:
        self._job = {"dsn": dsn, "ring": RING, "last": last}
        self.next = first
        self.last = last
        self._start()

    @property
    def is_done(self) -> bool:
        return self.next == self.last

    def hear(self) -> None:
        """Wait for the next number that it writes."""
        assert readable(self.output.fileno())
        line = self.output.readline()
        assert line.strip(), "a worker ended early"
        self.next = int(line) + 1

    def kill(self) -> None:
        """Kill it in the midst of whatever it does, and start another one."""
        self.process.kill()
        self.close()
        self._start()

    def close(self) -> None:
        self.process.wait()
        self.output.close()

    def _start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.jackpot.crowd"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self.process.stdin
        assert self.process.stdout
        self.output = self.process.stdout
        self.process.stdin.write(json.dumps({**self._job, "first": self.next}).encode())
        self.process.stdin.close()


def test_each_hit_is_paid_once_while_workers_are_killed(opened: str) -> None:
    chance = random.Random(20)  # noqa: S311 - to be the same again
    share = HITS // WORKERS
    workers = [Worker(opened, n * share, (n + 1) * share) for n in range(WORKERS)]
    kills = sorted(chance.sample(range(1, HITS), KILLS))
    heard = 0
    while playing := [worker for worker in workers if not worker.is_done]:
        worker = chance.choice(playing)
        if kills and heard >= kills[0]:
            kills.pop(0)
            worker.kill()
            continue
        worker.hear()
        heard += 1
    for worker in workers:
        worker.close()
    _check(opened)


def _check(dsn: str) -> None:
    database = Database(dsn)
    sums = hit_sums(database, OPERATOR, "aces-usd")
    ((meter, _),) = moment_of_meters(database)
    waiting = 0
    with psycopg.connect(dsn) as owner:
        rows = owner.execute("SELECT round::text, amount FROM jackpot_hit").fetchall()
        paid = owner.execute(
            "SELECT sum(payout) FROM round WHERE status = 'settled'"
        ).fetchone()
        has = owner.execute("SELECT sum(amount) FROM balance").fetchone()
        found = owner.execute("SELECT sum(wagers) FROM jackpot_contribution").fetchone()
    waiting = (found and found[0]) or 0
    assert (len(rows), sums.hits, sums.reserved) == (HITS, HITS, 0)
    assert set(Counter(round_id for round_id, _ in rows).values()) == {1}
    put_in = (HITS + 1) * RESET + HITS * 15
    assert (meter.wagers + waiting, meter.resets) == (HITS * 100, (HITS + 1) * RESET)
    assert sums.paid + meter.amount + waiting * 15 // 100 == put_in
    assert meter.rest(sums.paid) == 0
    assert paid is not None
    assert has is not None
    # Each hand of 14 loses against 17: the players have won the jackpots alone.
    assert paid[0] == sums.paid
    assert has[0] == HITS * (FUNDS - 1_100) + sums.paid
    database.close()
    assert_money_is_right(dsn)
