"""Rounds that nobody ended, of players whose money is in their operator's wallet."""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import pytest

from service.answers import Answer
from service.jobs.ending import SETTLE, VOID, Task
from service.jobs.job import run_once
from service.jobs.rounds import Rounds
from service.refusals import RoundWaits, VersionStale
from service.rules.cards import Card
from tests.api.site import Rig
from tests.support.clock import DAY, SECOND, Clock
from tests.support.gates import Racer, in_turn, install_gates
from tests.support.waiting import at_once, until
from tests.support.wallet import WalletProcess
from tests.wallet.casino import FUNDS, Casino, Guest

PAIR: Final = "P 8,8 / 5,6 | U 7 | H T | 2,3,4"


class Slow(Rig):
    """A shuffler that takes ninety days: a wallet wants to be asked at its own time."""

    def __init__(self, clock: Clock, present: int) -> None:
        super().__init__()
        self._clock = clock
        self._present = present

    def order(self, decks: int) -> tuple[Card, ...]:
        self._clock.set(self._present)
        return super().order(decks)


class Late:
    """A casino whose rounds were dealt ninety days ago: their time is over now."""

    def __init__(self, dsn: str, wallet: WalletProcess) -> None:
        self.over: Final = int(time.time()) * SECOND
        self.clock: Final = Clock(dsn)
        install_gates(dsn)
        rig = Slow(self.clock, self.over - 1)
        self.casino: Final = Casino(self.clock.dsn, wallet, rig=rig)
        rig.stack(PAIR)

    def deal(self, *wagers: int) -> tuple[Guest, Answer]:
        """Deal a round ninety days ago; then it is the last microsecond of its time."""
        self.clock.set(self.over - 90 * DAY)
        guest = self.casino.player()
        answer = guest.deal(*wagers)
        assert answer.round.opened.expires_at == self.over
        return guest, answer

    def job(self, task: Task) -> Rounds:
        casino = self.casino
        grace = 60 if task is SETTLE else 0
        return Rounds(casino.house, task, grace, casino.log.logger)

    def ran(self, task: Task = VOID) -> list[str]:
        words: list[str] = []
        assert run_once([self.job(task)], self.casino.log.logger, words.append)
        return words

    def close(self) -> None:
        self.casino.close()
        self.clock.close()


@pytest.fixture
def late(dsn: str, wallet: WalletProcess) -> Iterator[Late]:
    late = Late(dsn, wallet)
    yield late
    late.close()


def raced(late: Late, *racers: tuple[int, Any, Any]) -> list[Any]:
    return in_turn(
        late.casino.dsn,
        *(
            Racer(gate, command, partial(late.clock.set, at))
            for at, gate, command in racers
        ),
    )


def test_each_stake_that_comes_back_is_a_refund_of_its_debit(late: Late) -> None:
    guest, begun = late.deal(1_000, 500)
    guest.act(begun, "split")
    late.clock.set(late.over)
    assert late.ran() == ["voided"]
    assert guest.has() == FUNDS - 2_500, "the job does not wait for the wallet"
    calls: list[str] = []
    assert run_once([late.casino.job], late.casino.log.logger, calls.append)
    assert calls == ["delivered"] * 3, "and the calls are due at once"
    late.casino.check()
    kinds = late.casino.wallet.kinds(guest.name)
    assert sorted(kinds) == ["debit", "debit", "end", "refund", "refund"]
    assert kinds[-1] == "end"
    assert guest.has() == FUNDS
    assert late.ran() == []


def test_what_is_decided_is_paid_beside_the_refund(late: Late) -> None:
    late.casino.rig.stack("P A,K / 5,6 | U 7 | H T")
    guest, _ = late.deal(1_000, 500)
    late.clock.set(late.over)
    assert late.ran() == ["voided"]
    late.casino.check()
    assert guest.has() == FUNDS + 1_500


def test_a_decided_round_is_settled(late: Late) -> None:
    late.casino.rig.stack("P A,K | U 7 | H T")
    guest, _ = late.deal(1_000)
    assert late.ran(SETTLE) == ["settled"]
    late.casino.check()
    assert guest.has() == FUNDS + 1_500


# Known fault 61: two refunds together exceeded the payment.
def test_61_two_jobs_refund_each_debit_once(late: Late) -> None:
    guests = [late.deal(1_000, 500)[0] for _ in range(3)]
    late.clock.set(late.over)
    at_once([late.ran] * 3)
    late.casino.check()
    assert [guest.has() for guest in guests] == [FUNDS] * 3
    assert late.casino.transfers().count(("refund", "confirmed")) == 3


def test_a_round_that_waits_for_its_wallet_is_resolved_first(late: Late) -> None:
    casino, (guest, begun) = late.casino, late.deal(1_000, 500)
    casino.wallet.arm("hold_after")

    def split() -> object:
        return guest.act(begun, "split")

    def expire() -> None:
        until(lambda: casino.wallet.holding() == 1, "the stake is taken")
        late.clock.set(late.over)
        assert late.ran() == []
        assert late.job(VOID).look() == [
            "1 wait for an operator's wallet, and are resolved first"
        ]
        with pytest.raises(RoundWaits):
            guest.act(begun, "hit")
        casino.wallet.release()

    answer, failed = at_once([split, expire])
    assert failed is None, failed
    # It was asked for in time, so it counts, however late the answer is.
    assert getattr(answer, "version", answer) == 2
    assert late.ran() == ["voided"]
    casino.check()
    assert guest.has() == FUNDS
    assert casino.transfers().count(("refund", "confirmed")) == 2


def test_a_void_before_the_answer_is_written_takes_the_stake_back(late: Late) -> None:
    casino, (guest, begun) = late.casino, late.deal(1_000, 500)
    # The job has looked before the player's stake is asked for, and writes first.
    voided, split = raced(
        late,
        (late.over, "job", late.ran),
        (late.over - 1, "player", lambda: guest.act(begun, "split")),
    )
    assert voided == ["voided"]
    assert isinstance(split, VersionStale)
    assert split.seen.round.status == "void"
    casino.check()
    assert guest.has() == FUNDS
    assert ("debit", "rolled_back") in casino.transfers()


def test_an_answer_that_is_written_before_the_void_counts(late: Late) -> None:
    casino, (guest, begun) = late.casino, late.deal(1_000, 500)
    # Both have looked before either writes, and the player writes first.
    split, voided = raced(
        late,
        (late.over - 1, "player", lambda: guest.act(begun, "split")),
        (late.over, "job", late.ran),
    )
    assert split.version == 2
    assert voided == [], "a stake was waited for"
    assert late.ran() == ["voided"]
    casino.check()
    assert guest.has() == FUNDS
    assert casino.transfers().count(("refund", "confirmed")) == 2
