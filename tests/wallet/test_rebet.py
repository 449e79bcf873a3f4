"""The same bet again, with its stake kept by an operator's wallet."""

from functools import partial

import pytest

from service.answers import Answer
from service.chance import new_id
from service.dealing import Wish
from service.limits import change_limit
from service.refusals import KeyReused
from service.store.limits import Whose
from service.wallet.port import WalletWaits
from service.weeks import NEW_YORK_FRIDAYS
from tests.wallet.casino import FUNDS, OPERATOR, Casino, Guest

AGAIN = Wish("classic-three", "USD", (), raise_to_minimum=False, rebet=True)


def again(guest: Guest, key: str, what: str = "again") -> Answer:
    return guest.casino.play.deal(guest.ask(key, what), AGAIN)


def wagers(answer: Answer) -> list[int]:
    return [box.wager for box in answer.round.boxes]


@pytest.fixture
def waiting(casino: Casino) -> tuple[Guest, str]:
    """Give a guest who bets 10 and 7 again, and the wallet has not answered."""
    guest, key = casino.player(), new_id()
    casino.rig.stack("P T,9 / T,8 | U T | H 7")
    guest.finish(guest.deal(1_000, 700))
    assert guest.has() == FUNDS + 1_700
    casino.wallet.arm(rates={"cut_after": 1.0})
    with pytest.raises(WalletWaits):
        again(guest, key)
    casino.wallet.arm(rates={})
    return guest, key


def test_a_job_completes_it_with_the_wagers_that_were_asked_for(
    casino: Casino, waiting: tuple[Guest, str]
) -> None:
    guest, key = waiting
    casino.work()
    (seen,) = casino.play.open_rounds(guest.ask())
    assert [box.wager for box in seen.round.boxes] == [1_000, 700]
    answer = again(guest, key)
    assert (answer.replayed, wagers(answer)) == (True, [1_000, 700])
    assert guest.has() == FUNDS
    guest.finish(answer)
    casino.check()


def test_the_same_key_goes_on_with_it_after_a_limit_was_lowered(
    casino: Casino, waiting: tuple[Guest, str]
) -> None:
    guest, key = waiting
    whose = Whose(OPERATOR, guest.name, "USD")
    change_limit(casino.database, NEW_YORK_FRIDAYS, whose, 100)
    with pytest.raises(KeyReused):
        again(guest, key, "another request")
    answer = guest.surely(partial(again, guest, key))
    assert (answer.replayed, wagers(answer)) == (False, [1_000, 700])
    guest.finish(answer)
    casino.check()
