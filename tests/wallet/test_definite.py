"""A refusal is for good: nobody goes on with a command that was refused."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import pytest

from service.answers import Answer
from service.chance import new_id
from service.refusals import NotFunded
from service.store.outbox import take_due
from service.store.standing import start, stop
from service.wallet.port import Stopped, WalletWaits
from service.wallet.schedule import RETRY_SECONDS
from tests.support.waiting import DEADLINE, until
from tests.wallet.casino import DUE_NOW, FUNDS, Casino, Guest

Sent = Callable[[], Answer]


def deal(guest: Guest) -> Sent:
    return partial(guest.deal, 1_000, key=new_id())


def double(guest: Guest) -> Sent:
    guest.casino.rig.stack("P 5,6 | U 6 | H T | T,9")
    return partial(guest.act, guest.deal(1_000), "double", key=new_id())


BOTH = pytest.mark.parametrize("command", [deal, double])


@contextmanager
def held(casino: Casino, send: Sent) -> Iterator[Future[Answer]]:
    """Send a command whose debit stays at the wallet, before it is taken."""
    casino.wallet.arm("hold_before")
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(send)
        until(lambda: casino.wallet.holding() == 1, "the debit is held")
        yield first
        casino.wallet.release()
        first.exception(DEADLINE)


def refused(casino: Casino, guest: Guest, send: Sent) -> None:
    """Have a command refused, and then the reason for it gone."""
    had = guest.has()
    casino.wallet.put(guest.name, 1)
    with pytest.raises(NotFunded):
        send()
    casino.wallet.put(guest.name, had)


@BOTH
def test_the_first_try_is_refused_as_its_repeat_was(
    casino: Casino, command: Callable[[Guest], Sent]
) -> None:
    guest = casino.player()
    send = command(guest)
    had = guest.has()
    with held(casino, send) as first:
        refused(casino, guest, send)
    assert isinstance(first.exception(), NotFunded)
    assert guest.has() == had
    casino.check()


@BOTH
def test_the_first_try_does_not_go_on_with_what_was_given_up(
    casino: Casino, command: Callable[[Guest], Sent]
) -> None:
    guest = casino.player()
    send = command(guest)
    had = guest.has()
    with held(casino, send) as first:
        stop(casino.database, "casino", guest.name, "a test")
        with pytest.raises(Stopped):
            send()
        start(casino.database, "casino", guest.name)
    assert isinstance(first.exception(), WalletWaits)
    casino.work()
    assert guest.has() == had
    casino.check()


@BOTH
def test_a_slow_copy_of_the_job_does_not_begin_it_anew(
    casino: Casino, command: Callable[[Guest], Sent]
) -> None:
    guest = casino.player()
    send = command(guest)
    had = guest.has()
    casino.wallet.arm(rates={"error_before": 1.0})
    with pytest.raises(WalletWaits):
        send()
    casino.wallet.arm(rates={})
    casino.owner(DUE_NOW)
    (due,) = take_due(casino.database, 1, RETRY_SECONDS)
    refused(casino, guest, send)
    assert casino.job._made(due) == "refused"  # noqa: SLF001 - as a copy that is slow
    assert casino.waiting() == []
    assert guest.has() == had
    casino.check()


@BOTH
def test_a_refused_key_may_be_used_again(
    casino: Casino, command: Callable[[Guest], Sent]
) -> None:
    guest = casino.player()
    send = command(guest)
    refused(casino, guest, send)
    answer = send()
    assert not answer.replayed
    ended = guest.finish(answer).round
    casino.check()
    assert guest.has() == FUNDS - ended.stake + ended.payout
