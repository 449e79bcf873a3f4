"""A wallet that thinks again about what it refused: then a rollback must be in its way.

The contract says that a refusal is for good. Where a wallet does not keep to it, a call
that was on its way when another was refused could still take the stake.
"""

from collections.abc import Iterator

import pytest

from service.refusals import NotFunded
from tests.support.postgres import Postgres
from tests.support.waiting import at_once, until
from tests.support.wallet import WalletProcess, running_wallet
from tests.wallet.casino import FUNDS, QUICK, Casino
from tests.wallet.test_kills import Case, killed_at


@pytest.fixture(scope="module")
def moody(postgres: Postgres) -> Iterator[WalletProcess]:
    program = ("tests.wallet.broken", "moody")
    with (
        postgres.copy(empty=True) as dsn,
        running_wallet(dsn, "--faults", program=program) as wallet,
    ):
        yield wallet


@pytest.fixture
def house(dsn: str, moody: WalletProcess) -> Iterator[Casino]:
    moody.clear()
    casino = Casino(dsn, moody, QUICK)
    yield casino
    casino.close()


def see_that_it_stays_refused(case: Case) -> None:
    """Give the player his money back, and let the call go that was on its way."""
    house = case.casino
    house.wallet.put(case.guest.name, FUNDS)
    house.wallet.release()
    house.wallet.rest()
    assert case.guest.has() == FUNDS
    assert case.begun
    case.guest.finish(case.begun)
    house.check()


def test_a_refusal_behind_another_s_call_is_rolled_back(house: Casino) -> None:
    case = Case(house, "double")
    killed_at(house, "hold_before", case.job())
    house.wallet.put(case.guest.name, 999)
    with pytest.raises(NotFunded):
        case.again()
    see_that_it_stays_refused(case)


def test_a_refusal_behind_a_call_without_an_answer_is_rolled_back(
    house: Casino,
) -> None:
    case = Case(house, "double")
    house.wallet.arm("hold_before")

    def spend() -> None:
        until(lambda: house.wallet.holding() == 1, "the call is held")
        house.wallet.put(case.guest.name, 999)

    refused, _ = at_once([case.again, spend])
    assert isinstance(refused, NotFunded)
    see_that_it_stays_refused(case)
