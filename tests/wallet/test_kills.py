"""A worker killed between any two steps: what it began is finished, and once."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from service.answers import Answer
from service.refusals import KeyReused, NotFunded, RoundWaits
from service.store.errors import DatabaseUnavailable
from tests.support.waiting import at_once, until
from tests.tidy import ROOT
from tests.wallet.casino import FUNDS, Casino

DEAL: Final = "P 5,6 | U 6 | H T | T,9"
KEY: Final = "the-key-of-the-command"
POINTS: Final = ("hold_before", "hold_after")
"""Its call is made and nothing is done; and: it is done, and no answer came."""


@contextmanager
def worker(casino: Casino, job: dict[str, Any]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.wallet.worker"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(json.dumps({"dsn": casino.dsn, **job}).encode())
        process.stdin.close()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def killed_at(casino: Casino, point: str, job: dict[str, Any], before: int = 0) -> None:
    """Kill a worker while the wallet holds its call, the first or a later one."""
    casino.wallet.arm(*[None] * before, point)
    with worker(casino, job) as process:
        until(lambda: casino.wallet.holding() == 1, "the call is held")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


class Case:
    """A command that a worker dies at, and that its player sends again."""

    def __init__(self, casino: Casino, command: str) -> None:
        self.casino = casino
        self.guest = casino.player()
        self.begun: Answer | None = None
        casino.rig.stack(DEAL)
        if command != "deal":
            self.begun = self.guest.deal(1_000)
        if command == "settle":
            self.begun = self.guest.act(self.begun, "double") if self.begun else None
        self.command = command

    def job(self) -> dict[str, Any]:
        """Return what a worker needs to do the command."""
        what, more = self._what()
        ask = self.guest.ask(KEY, what)._asdict()
        ask["request"] = ask["request"].hex()
        told = {"story": DEAL, "command": self.command, **more}
        return {**told, "ask": list(ask.values())}

    def again(self) -> Answer:
        """Send the command again, under its key."""
        if self.begun is None:
            return self.guest.deal(1_000, key=KEY)
        if self.command == "settle":
            return self.guest.settle(self.begun, key=KEY)
        return self.guest.act(self.begun, "double", key=KEY)

    def _what(self) -> tuple[list[Any], dict[str, Any]]:
        if self.begun is None:
            return ["classic-three", 0, (1_000,)], {"deal": ["classic-three", 0, 1_000]}
        where = {"round_id": self.begun.round_id, "version": self.begun.version}
        if self.command == "settle":
            return [self.begun.round_id, "settle"], where
        return [self.begun.round_id, "1a", "double"], {**where, "hand": "1a"}


def sent_again(case: Case) -> None:
    case.again()


def left_to_the_job(case: Case) -> None:
    case.casino.work()


@pytest.mark.parametrize("resume", [sent_again, left_to_the_job])
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("command", ["deal", "double", "settle"])
def test_what_a_killed_worker_began_is_finished(
    casino: Casino, command: str, point: str, resume: Callable[[Case], None]
) -> None:
    case = Case(casino, command)
    killed_at(casino, point, case.job())
    resume(case)
    casino.wallet.release()  # and the dead worker's call is done only now
    casino.check()
    answer = case.again()
    assert answer.replayed
    ended = case.guest.finish(answer).round
    casino.check()
    assert case.guest.has() == FUNDS - ended.stake + ended.payout


@pytest.mark.parametrize("resume", [sent_again, left_to_the_job])
@pytest.mark.parametrize("point", POINTS)
def test_a_worker_killed_behind_the_credit_leaves_the_end(
    casino: Casino, point: str, resume: Callable[[Case], None]
) -> None:
    case = Case(casino, "settle")
    killed_at(casino, point, case.job(), before=1)
    assert casino.waiting() == [("end",)]
    resume(case)
    casino.wallet.release()
    casino.check()
    answer = case.again()
    assert case.guest.has() == answer.balance == FUNDS + 2_000


def test_a_refusal_behind_a_dead_worker_s_call_is_for_good(casino: Casino) -> None:
    case = Case(casino, "double")
    killed_at(casino, "hold_before", case.job())
    casino.wallet.put(case.guest.name, 999)
    with pytest.raises(NotFunded):
        case.again()
    casino.wallet.put(case.guest.name, FUNDS)
    casino.wallet.release()
    casino.wallet.rest()
    assert case.guest.has() == FUNDS, "the call that came late was refused"
    assert case.begun
    case.guest.finish(case.begun)
    casino.check()


def test_while_a_stake_waits_nothing_else_is_done(casino: Casino) -> None:
    case = Case(casino, "double")
    killed_at(casino, "hold_after", case.job())
    assert case.begun
    with pytest.raises(RoundWaits):
        case.guest.act(case.begun, "hit")
    assert casino.play.read(case.guest.ask(), case.begun.round_id).waits
    casino.wallet.release()
    casino.check()
    assert not casino.play.read(case.guest.ask(), case.begun.round_id).waits


def test_a_deal_that_waits_holds_the_table(casino: Casino) -> None:
    case = Case(casino, "deal")
    killed_at(casino, "hold_after", case.job())
    with pytest.raises(RoundWaits):
        case.guest.deal(2_000)
    elsewhere = case.guest.deal(1_000, table="american-five")
    casino.wallet.release()
    casino.work()
    answer = case.again()
    assert answer.replayed
    assert answer.round.opened.commitment == casino.play.read(
        case.guest.ask(), answer.round_id
    ).round.opened.commitment  # fmt: skip
    for one in (answer, elsewhere):
        case.guest.finish(one)
    casino.check()


@pytest.mark.parametrize("command", ["deal", "double", "settle"])
def test_a_database_that_goes_away_before_the_answer_is_written(
    casino: Casino, command: str
) -> None:
    case = Case(casino, command)
    casino.wallet.arm("hold_after")

    def cut_off() -> None:
        until(lambda: casino.wallet.holding() == 1, "the call is held")
        casino.owner(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'upcard' AND datname = current_database()"
        )
        casino.wallet.release()

    first, _ = at_once([case.again, cut_off])
    # A payout that was not acknowledged is no reason not to answer.
    answered = isinstance(first, Answer) if command == "settle" else isinstance(
        first, DatabaseUnavailable
    )  # fmt: skip
    assert answered, first
    answer = case.again()
    ended = case.guest.finish(answer).round
    casino.check()
    assert case.guest.has() == FUNDS - ended.stake + ended.payout


def test_a_wallet_that_dies_with_a_call_is_asked_again(casino: Casino) -> None:
    case = Case(casino, "double")
    casino.wallet.arm("hold_before")

    def die() -> None:
        until(lambda: casino.wallet.holding() == 1, "the call is held")
        casino.wallet.restart()

    at_once([case.again, die])
    answer = case.guest.surely(case.again)
    ended = case.guest.finish(answer).round
    casino.check()
    assert case.guest.has() == FUNDS - ended.stake + ended.payout


def test_a_key_that_waits_stands_for_its_request(casino: Casino) -> None:
    case = Case(casino, "deal")
    killed_at(casino, "hold_after", case.job())

    with pytest.raises(KeyReused):
        case.guest.deal(2_000, key=KEY)
    casino.wallet.release()
    casino.check()
    assert case.again().round.stake == 1_000
