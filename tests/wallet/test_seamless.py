"""A round through an operator's wallet: what is called, in which order, and once."""

from tests.wallet.casino import FUNDS, Casino


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
    casino.check()
