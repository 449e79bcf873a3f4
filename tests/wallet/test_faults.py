"""Every fault between the two services, at every kind of command: the law holds."""

from collections.abc import Callable
from functools import partial
from typing import Final

import pytest

from examples.operator_wallet.faults import FAULTS
from service.answers import Answer
from service.chance import new_id
from service.wallet.port import WalletWaits
from tests.wallet.casino import FUNDS, Casino, Guest

Sent = Callable[[], Answer]

STALL_SECONDS: Final = 1.2
"""Longer than the wallet is waited for in these tests."""
AT_ONCE: Final = [
    fault for fault in FAULTS if fault not in {"hold_before", "hold_after", "free_bet"}
]


def begun(guest: Guest, *wagers: int) -> Answer:
    return guest.surely(partial(guest.deal, *wagers, key=new_id()))


def stood(guest: Guest) -> Answer:
    return guest.act(begun(guest, 1_000), "stand")


def deal(guest: Guest) -> Sent:
    guest.casino.rig.stack("P T,8 | U 9 | H 7")
    return partial(guest.deal, 1_000, key=new_id())


def deal_with_bonus(guest: Guest) -> Sent:
    guest.casino.rig.stack("P AS,AS / T,8 | U 9 | H 7")
    bets = partial(guest.deal, 1_000, 2_000, table="progressive-five", bonus=100)
    return partial(bets, key=new_id())


def double(guest: Guest) -> Sent:
    guest.casino.rig.stack("P 5,6 | U 6 | H T | T,9")
    return partial(guest.act, begun(guest, 1_000), "double", key=new_id())


def split(guest: Guest) -> Sent:
    guest.casino.rig.stack("P 8,8 | U 6 | H T | 3,K,9")
    return partial(guest.act, begun(guest, 1_000), "split", key=new_id())


def insure_and_lose(guest: Guest) -> Sent:
    guest.casino.rig.stack("P T,8 / T,9 | U A | H 9")
    return partial(guest.insure, begun(guest, 1_000, 2_000), 2, key=new_id())


def insure_and_win(guest: Guest) -> Sent:
    guest.casino.rig.stack("P T,8 / T,9 | U A | H K")
    return partial(guest.insure, begun(guest, 1_000, 2_000), 2, key=new_id())


def settle_what_is_won(guest: Guest) -> Sent:
    guest.casino.rig.stack("P T,9 | U 9 | H 8")
    return partial(guest.settle, stood(guest), key=new_id())


def settle_what_is_lost(guest: Guest) -> Sent:
    guest.casino.rig.stack("P T,7 | U 9 | H 8")
    return partial(guest.settle, stood(guest), key=new_id())


COMMANDS: Final = (
    *(deal, deal_with_bonus, double, split, insure_and_lose, insure_and_win),
    *(settle_what_is_won, settle_what_is_lost),
)
SOME: Final = (deal, double, insure_and_win, settle_what_is_won)


@pytest.mark.parametrize("fault", AT_ONCE)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_a_fault_is_no_loss_and_no_gain(
    hasty: Casino, command: Callable[[Guest], Sent], fault: str
) -> None:
    guest = hasty.player()
    send = command(guest)
    hasty.wallet.arm(fault, stall_seconds=STALL_SECONDS)
    answer = guest.surely(send)
    again = send()
    assert (again.version, again.events) == (answer.version, answer.events)
    ended = guest.finish(answer).round
    hasty.check()
    assert guest.has() == FUNDS - ended.stake + ended.payout


@pytest.mark.parametrize("fault", AT_ONCE)
@pytest.mark.parametrize("command", SOME, ids=lambda command: command.__name__)
def test_a_lasting_fault_is_left_to_the_job(
    curt: Casino, command: Callable[[Guest], Sent], fault: str
) -> None:
    guest = curt.player()
    send = command(guest)
    curt.wallet.arm(fault, fault, stall_seconds=STALL_SECONDS)
    known = told(send)
    curt.wallet.arm(next=[])
    curt.work()
    answer = send()
    assert known in {None, answer.version}
    assert answer.replayed
    ended = guest.finish(answer).round
    curt.check()
    assert guest.has() == FUNDS - ended.stake + ended.payout


def told(send: Sent) -> int | None:
    """Send once; return the version that the command made, None when it waits."""
    try:
        return send().version
    except WalletWaits:
        return None
