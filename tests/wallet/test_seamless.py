"""A round through an operator's wallet: what is called, in which order, and once."""

from uuid import NAMESPACE_URL, uuid5

import pytest

from service.chance import new_id
from service.refusals import NotFunded
from service.wallet.port import Stopped, WalletRefused, WalletWaits
from tests.support.wallet import SECRET
from tests.wallet.busy import Dreamer
from tests.wallet.casino import FUNDS, Casino, Guest

BLOCK = "INSERT INTO stop (operator, player, why) VALUES (%s, %s, 'asked for')"


def lines(
    casino: Casino, purpose: str, kind: str = "debit"
) -> list[tuple[object, ...]]:
    """Return the lines of the calls of a purpose: box, what, amount."""
    query = "SELECT lines FROM transfer WHERE purpose = %s AND kind = %s"
    found = casino.owner(query, purpose, kind)
    return [tuple(line.values()) for (each,) in found for line in each]


def test_a_stake_is_taken_before_a_card_falls(casino: Casino) -> None:
    guest = casino.player()
    casino.rig.stack("P T,8 | U 9 | H 7")
    answer = guest.deal(1_000)
    assert answer.balance == guest.has() == FUNDS - 1_000
    assert casino.transfers() == [("debit", "confirmed")]
    casino.check()


def test_a_won_round_is_debit_credit_and_end(casino: Casino) -> None:
    guest = casino.player()
    casino.rig.stack("P T,9 | U 9 | H 8")
    answer = guest.settle(guest.act(guest.deal(1_000), "stand"))
    assert answer.balance == guest.has() == FUNDS + 1_000
    assert casino.wallet.kinds(guest.name) == ["debit", "credit", "end"]
    casino.check()


def test_a_lost_round_has_an_end_and_no_credit(casino: Casino) -> None:
    guest = casino.player()
    casino.rig.stack("P T,7 | U 9 | H 9")
    answer = guest.settle(guest.act(guest.deal(1_000), "stand"))
    assert answer.balance == guest.has() == FUNDS - 1_000
    assert casino.wallet.kinds(guest.name) == ["debit", "end"]
    assert lines(casino, "settled", "end") == [(1, "stake", 1_000), (1, "payout", 0)]
    casino.check()


def test_one_debit_takes_all_wagers_and_bonuses_of_a_deal(casino: Casino) -> None:
    guest = casino.player()
    casino.rig.stack("P AS,AS / T,8 | U 9 | H 7")
    answer = guest.deal(1_000, 2_000, table="progressive-five", bonus=100)
    assert answer.balance == FUNDS - 3_200
    assert lines(casino, "deal") == [
        *((1, "wager", 1_000), (1, "bonus", 100)),
        *((2, "wager", 2_000), (2, "bonus", 100)),
    ]
    guest.finish(answer)
    assert lines(casino, "settlement", "credit") == [
        *((1, "hand 1a", 2_000), (2, "hand 2a", 4_000), (1, "bonus", 10_000)),
    ]
    casino.check()


def test_each_added_stake_is_a_debit_of_its_own(casino: Casino) -> None:
    guest = casino.player()
    casino.rig.stack("P 8,8 | U A | H 7 | 3,K,9,T")
    answer = guest.insure(guest.deal(1_000), 1)
    assert answer.balance == FUNDS - 1_500
    answer = guest.act(answer, "split")
    assert answer.balance == FUNDS - 2_500
    answer = guest.act(answer, "double")
    assert answer.balance == FUNDS - 3_500
    assert lines(casino, "insurance") == [(1, "insurance", 500)]
    assert lines(casino, "split") == [(1, "split", 1_000)]
    assert lines(casino, "double") == [(1, "double", 1_000)]
    guest.finish(answer)
    casino.check()


def test_an_insurance_that_wins_is_paid_at_once(casino: Casino) -> None:
    guest = casino.player()
    casino.rig.stack("P T,8 | U A | H K")
    key, begun = new_id(), guest.deal(1_000)
    answer = guest.insure(begun, 1, key=key)
    assert answer.balance == guest.has() == FUNDS
    assert guest.insure(begun, 1, key=key).balance == FUNDS
    assert casino.wallet.kinds(guest.name) == ["debit", "debit", "credit"]
    guest.finish(answer)
    casino.check()


def test_a_repeat_shows_the_balance_of_then(casino: Casino) -> None:
    guest, key = casino.player(), new_id()
    casino.rig.stack("P T,9 | U 9 | H 8")
    first = guest.deal(1_000, key=key)
    settling = new_id()
    stood = guest.act(first, "stand")
    paid = guest.settle(stood, key=settling)
    casino.wallet.put(guest.name, 7)
    again = guest.deal(1_000, key=key)
    assert (again.balance, again.replayed) == (first.balance, True)
    again = guest.settle(stood, key=settling)
    assert (again.balance, again.replayed) == (paid.balance, True)
    assert guest.settle(stood).balance == paid.balance


def test_a_payout_that_is_owed_has_its_balance_when_it_is_known(
    casino: Casino,
) -> None:
    guest, key = casino.player(), new_id()
    casino.rig.stack("P T,9 | U 9 | H 8")
    stood = guest.act(guest.deal(1_000), "stand")
    casino.wallet.arm("error_before")
    assert guest.settle(stood, key=key).balance is None
    assert casino.waiting() == [("credit",), ("end",)]
    casino.work()
    assert guest.settle(stood, key=key).balance == guest.has() == FUNDS + 1_000
    casino.check()


def test_what_is_not_funded_leaves_the_round_as_it_was(casino: Casino) -> None:
    guest = casino.player(1_500)
    casino.rig.stack("P 5,6 | U 6 | H T | 2,8,9")
    begun = guest.deal(1_000)
    with pytest.raises(NotFunded) as refused:
        guest.act(begun, "double")
    assert (refused.value.required, refused.value.balance) == (1_000, None)
    seen = casino.play.read(guest.ask(), begun.round_id)
    assert (seen.version, seen.round, seen.waits) == (1, begun.round, False)
    hit = guest.act(begun, "hit")
    assert hit.round.hands[0].cards[2][0] == "2", "the card had not left the shoe"
    guest.finish(hit)
    assert casino.transfers().count(("debit", "refused")) == 1
    casino.check()


def test_a_refused_stake_may_be_tried_again(casino: Casino) -> None:
    guest, key = casino.player(1_500), new_id()
    casino.rig.stack("P 5,6 | U 6 | H T | T,9")
    begun = guest.deal(1_000)
    for _ in range(2):
        with pytest.raises(NotFunded):
            guest.act(begun, "double", key=key)
    casino.wallet.put(guest.name, 1_000)
    answer = guest.act(begun, "double", key=key)
    assert (answer.version, answer.balance) == (2, 0)
    guest.finish(answer)
    casino.check()


def test_an_id_is_made_of_what_the_call_is_for(casino: Casino) -> None:
    guest = casino.player(1_500)
    casino.rig.stack("P 5,6 | U 6 | H T | T,9")
    begun = guest.deal(1_000)
    with pytest.raises(NotFunded):
        guest.act(begun, "double")
    casino.wallet.put(guest.name, FUNDS)
    guest.finish(guest.act(begun, "double"))
    names = [
        *("1:debit:deal:0", "2:debit:double:0", "2:debit:double:1"),
        *("3:credit:settlement:0", "3:end:settled:0"),
    ]
    # For ever: a wallet knows a call that is made again by its id alone.
    space = uuid5(NAMESPACE_URL, "urn:upcard:transfer")
    ids = {uuid5(space, f"{begun.round_id}:{name}") for name in names}
    found = casino.owner("SELECT transfer FROM transfer")
    assert {one for (one,) in found} == ids


def test_a_refusal_of_the_wallet_keeps_its_code(casino: Casino) -> None:
    for code in ("loss_limit", "reality_check", "x_own_reason"):
        guest = casino.player(refuses=code)
        with pytest.raises(WalletRefused) as refused:
            guest.deal(1_000)
        assert refused.value.code == code
        assert guest.has() == FUNDS
    casino.check()


def test_a_free_bet_is_refused_and_given_back(casino: Casino) -> None:
    guest = casino.player()
    casino.wallet.arm("free_bet")
    with pytest.raises(WalletRefused) as refused:
        guest.deal(1_000)
    assert refused.value.code == "free_bet_refused"
    assert guest.has() == FUNDS
    casino.check()


def test_cash_and_bonus_money_are_kept_with_the_call(casino: Casino) -> None:
    guest = casino.player(600, bonus=1_000)
    guest.deal(1_000)
    ((said,),) = casino.owner("SELECT said FROM transfer WHERE kind = 'debit'")
    stated = {"currency": "USD", "amount": 600, "cash": 0, "bonus": 600}
    assert said == {"balance": stated}


def test_a_balance_is_asked_for_and_may_be_unknown(hasty: Casino) -> None:
    guest = hasty.player(1_234)
    assert hasty.play.balance(guest.ask(), "USD") == 1_234
    for fault in (
        "cut_after",
        "stall_after",
        "malformed",
        "negative",
        "other_currency",
    ):
        hasty.wallet.arm(fault, stall_seconds=1.0)
        assert hasty.play.balance(guest.ask(), "USD") is None
    assert hasty.play.balance(guest.ask(), "EUR") is None
    stranger = Guest(hasty, "nobody", new_id())
    assert hasty.play.balance(stranger.ask(), "USD") is None


@pytest.mark.parametrize("who", [("casino", None), ("casino", "*"), ("*", "*")])
def test_of_whom_gaming_is_stopped_no_stake_is_asked(
    casino: Casino, who: tuple[str, str | None]
) -> None:
    guest = casino.player()
    casino.rig.stack("P 5,6 | U 6 | H T | 2,8,9")
    begun = guest.deal(1_000)
    casino.owner(BLOCK, who[0], who[1] or guest.name)
    calls = casino.wallet.kinds(guest.name)
    with pytest.raises(Stopped):
        guest.act(begun, "double")
    with pytest.raises(Stopped):
        guest.deal(1_000, table="american-five")
    assert casino.wallet.kinds(guest.name) == calls
    ended = guest.finish(guest.act(begun, "hit")).round
    casino.check()
    assert guest.has() == FUNDS - ended.stake + ended.payout


def test_a_stake_that_waits_is_rolled_back_when_its_player_is_stopped(
    casino: Casino,
) -> None:
    guest, key = casino.player(), new_id()
    casino.wallet.arm(*["error_after"] * 30)
    with pytest.raises(WalletWaits):
        guest.deal(1_000, key=key)
    casino.wallet.arm(next=[])
    casino.owner(BLOCK, "casino", guest.name)
    with pytest.raises(Stopped):
        guest.deal(1_000, key=key)
    assert guest.has() == FUNDS
    casino.check()


def test_demo_money_is_never_the_wallet_s(casino: Casino) -> None:
    dreamer = Dreamer(casino, "dee", new_id())
    casino.rig.stack("P T,9 | U 9 | H 8")
    answer = dreamer.finish(dreamer.deal(1_000))
    assert answer.balance == 101_000
    assert casino.transfers() == []
    assert casino.wallet.rows("SELECT FROM transaction") == []


def test_what_goes_wrong_is_in_the_log_as_whose_fault_it_is(casino: Casino) -> None:
    guest = casino.player()
    for fault in ("negative", "other_currency", "malformed", "error_before"):
        casino.wallet.arm(fault)
        casino.play.balance(guest.ask(), "USD")
    casino.wallet.arm("cut_after")
    casino.play.balance(guest.ask(), "USD")
    assert casino.log.events() == ["wallet_fault"] * 4 + ["wallet_silent"]
    whys = [line["why"] for line in casino.log.lines]
    assert whys[0] == "status 200: balance.amount is not a whole number from 0"
    assert whys[1] == "status 200: balance.currency is not the one that was sent"
    assert len({line["exchange"] for line in casino.log.lines}) == 5
    assert {line["operator"] for line in casino.log.lines} == {"casino"}
    assert SECRET not in repr(casino.log.lines)


def test_without_a_key_nothing_is_sent(casino: Casino) -> None:
    guest = casino.player()
    casino.owner("UPDATE operator_key SET ends_at = now()")
    with pytest.raises(WalletWaits):
        guest.deal(1_000)
    assert casino.wallet.rows("SELECT FROM transaction") == []
    assert {line["why"] for line in casino.log.lines} == {
        "the operator has no wallet key or no wallet"
    }
    casino.owner("UPDATE operator_key SET ends_at = NULL")
