"""The fold records what an event says, and decides nothing."""

from service.rules.cards import CARDS
from service.rules.events import STORED_AS, HandDoubled, HandSplit, RoundOpened
from service.rules.fold import CHANGES, evolve
from tests.rules.rig import tell


def test_the_fold_knows_what_each_event_changes() -> None:
    assert {RoundOpened, *CHANGES} == set(STORED_AS)


def test_a_round_has_at_stake_what_its_events_say() -> None:
    round_ = tell("P 8,8 | U T | H 7").round
    split = evolve(round_, HandSplit("1a", "1b", 700, (CARDS[1], CARDS[2]), "player"))
    assert [hand.stake for hand in split.hands] == [1000, 700]
    doubled = evolve(split, HandDoubled("1b", 900, CARDS[3], "player"))
    assert [hand.stake for hand in doubled.hands] == [1000, 1600]
    assert [hand.wager for hand in doubled.hands] == [1000, 1000]
