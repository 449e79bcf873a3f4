"""A malfunction at an operator's own wallet: what is held and what was paid go back."""

from typing import Final

import pytest

from service.answers import Answer
from service.refusals import NotAllowed
from service.store.feed import BEGINNING
from service.store.significant import EVERYTHING, events_of
from service.wallet.port import WalletWaits
from tests.support.waiting import at_once, until
from tests.wallet.casino import FUNDS, OPERATOR, Casino, Guest

WON: Final = "P T,9 | U T | H 7"
DOUBLED: Final = "P 5,6 | U 9 | H 7 | T,T"


def take_back(guest: Guest, on: Answer, key: str | None = None) -> Answer:
    """Take a guest's round back, as his operator does."""
    ask = guest.ask(key, "malfunction")._replace(signed_by="operator:r-1")
    return guest.casino.play.malfunction(ask, on.round_id, "a fault")


def money(casino: Casino) -> list[tuple[str, str, int]]:
    """Return kind, status and amount of the calls of malfunctions."""
    query = (
        "SELECT kind, status, amount FROM transfer WHERE purpose = 'malfunction'"
        " ORDER BY kind DESC"
    )
    return [(kind, status, amount) for kind, status, amount in casino.owner(query)]


def noted(casino: Casino, count: int) -> list[str]:
    """Return the kinds of what is noted for the operator."""

    def kinds() -> list[str]:
        found = events_of(casino.database, OPERATOR, EVERYTHING, BEGINNING, 100)
        return [one.kind for one in found]

    until(lambda: len(kinds()) >= count, f"{count} events")
    return kinds()


def test_what_is_held_is_a_refund_of_each_debit(casino: Casino) -> None:
    guest = casino.player()
    casino.rig.stack(DOUBLED)
    on = guest.act(guest.deal(1_000), "double")
    assert on.round.status == "awaiting_settlement"
    done = take_back(guest, on)
    assert done.balance == guest.has() == FUNDS
    assert money(casino) == [
        *(("refund", "confirmed", 1_000),) * 2,
        ("end", "confirmed", 0),
    ]
    casino.check()
    assert noted(casino, 1) == ["round_malfunction"]


@pytest.mark.parametrize(
    ("cards", "correction"),
    [(WON, -1_000), ("P T,7 | U T | H 9", 1_000), ("P T,7 | U T | H 7", 0)],
)
def test_what_was_paid_is_one_correction(
    casino: Casino, cards: str, correction: int
) -> None:
    guest = casino.player()
    casino.rig.stack(cards)
    on = guest.finish(guest.deal(1_000))
    ends = casino.wallet.kinds(guest.name).count("end")
    take_back(guest, on)
    assert guest.has() == FUNDS
    made = [("correction", "confirmed", correction)] if correction else []
    assert money(casino) == made
    assert casino.wallet.kinds(guest.name).count("end") == ends == 1
    (sessions,) = casino.owner(
        "SELECT count(session) FROM transfer WHERE kind = 'correction'"
    )
    assert sessions == (0,)
    casino.check()


def test_what_the_wallet_refuses_is_owed(casino: Casino) -> None:
    guest = casino.player()
    casino.rig.stack(WON)
    on = guest.finish(guest.deal(1_000))
    casino.wallet.put(guest.name, 999)
    take_back(guest, on)
    assert guest.has() == 999
    assert money(casino) == [("correction", "refused", -1_000)]
    casino.work()
    assert noted(casino, 2) == ["round_malfunction", "money_owed"]
    (event,) = casino.owner(
        "SELECT data::text, mode FROM significant_event WHERE kind = 'money_owed'"
    )
    assert event == ('{"currency":"USD","amount":1000}', "real")


def test_what_waits_for_the_wallet_is_undone_first(hasty: Casino) -> None:
    guest = hasty.player()
    hasty.rig.stack(DOUBLED)
    on = guest.deal(1_000)
    hasty.wallet.arm(*["error_after"] * 20)
    with pytest.raises(WalletWaits):
        guest.act(on, "double", key="the-double")
    hasty.wallet.arm(next=[])
    take_back(guest, on)
    assert guest.has() == FUNDS
    assert ("rollback", "confirmed") in hasty.transfers()
    with pytest.raises(NotAllowed):
        guest.act(take_back_again(guest, on), "double", key="the-double")
    hasty.check()


def take_back_again(guest: Guest, on: Answer) -> Answer:
    """Return the round that was taken back, as its player reads it."""
    seen = guest.casino.play.read(guest.ask(), on.round_id)
    return on._replace(version=seen.version)


def test_nothing_is_taken_back_before_it_was_paid(hasty: Casino) -> None:
    guest = hasty.player(1_000)
    hasty.rig.stack(WON)
    on = guest.act(guest.deal(1_000), "stand")
    hasty.wallet.arm("error_before")
    on = guest.settle(on)
    take_back(guest, on)
    assert guest.has() == 0
    assert money(hasty) == [("correction", "requested", -1_000)]
    hasty.check()
    assert guest.has() == 1_000
    assert money(hasty) == [("correction", "confirmed", -1_000)]


@pytest.mark.parametrize("attempt", range(3))
def test_a_settlement_at_the_same_moment_is_put_right(
    casino: Casino, attempt: int
) -> None:
    del attempt
    guest = casino.player()
    casino.rig.stack(WON)
    on = guest.act(guest.deal(1_000), "stand")
    results = at_once([lambda: guest.settle(on), lambda: take_back(guest, on)])
    assert isinstance(results[1], Answer)
    casino.check()
    assert guest.has() == FUNDS


def test_two_at_once_take_back_once(casino: Casino) -> None:
    guest = casino.player()
    casino.rig.stack(WON)
    on = guest.finish(guest.deal(1_000))
    results = at_once([lambda: take_back(guest, on)] * 4)
    assert sorted(type(one).__name__ for one in results) == [
        "Answer",
        *["NotAllowed"] * 3,
    ]
    casino.check()
    assert guest.has() == FUNDS
