"""What the rules take for granted is asserted, with words for who broke it."""

from collections.abc import Callable
from typing import Final

import pytest

from service.rules.commands import Settle
from service.rules.decide import decide
from service.rules.events import HandStood, HoleCardDealt
from service.rules.fold import evolve, fold
from service.rules.legal import insurance_cost
from service.rules.settle import resolve_bonus
from service.rules.table import Ratio
from tests.rules.rig import OPENED, Rigged, deal_of, tell
from tests.rules.tables import CLASSIC

NO_SHOE: Final = Rigged(())


def settle_nothing() -> None:
    decide(None, Settle(OPENED), NO_SHOE)


def deal_twice() -> None:
    decide(tell("P T,9 | U T | H 7").round, deal_of(CLASSIC, [10]), NO_SHOE)


def deal_to_nobody() -> None:
    decide(None, deal_of(CLASSIC, []), NO_SHOE)


def open_twice() -> None:
    story = tell("P T,9 | U T | H 7")
    evolve(story.round, story.log[0])


def stand_on_a_hand_that_is_not_there() -> None:
    evolve(tell("P T,9 | U T | H 7").round, HandStood("1b", "player"))


def begin_in_the_middle() -> None:
    evolve(None, HoleCardDealt())


def halve_an_odd_wager() -> None:
    insurance_cost(tell("P T,9 | U A | H 7").box(1)._replace(wager=101))


def pay_a_bonus_that_is_not_offered() -> None:
    story = tell("P T,9 | U T | H 7")
    resolve_bonus(story.round, story.box(1))


def pay_a_fraction() -> None:
    Ratio(3, 2).of(101)


def fold_nothing() -> None:
    fold([])


def peek_at_nothing() -> None:
    story = tell("P T,9 | U A | H 7")
    undealt = fold(event for event in story.log if event != HoleCardDealt())
    decide(undealt, story.command("pass"), story.shoe)


def play_the_dealer_without_a_card() -> None:
    story = tell("P T,9 | U 6 | H 7")
    undealt = fold(event for event in story.log if event != HoleCardDealt())
    decide(undealt, story.command("stand"), story.shoe)


def act_when_all_hands_stand() -> None:
    story = tell("P T,9 | U 6 | H T | 5")
    act = story.command("hit")
    story.play("stand")
    stood = [event for event in story.log if isinstance(event, HandStood)]
    undecided = fold(story.log[: story.log.index(stood[0]) + 1])
    decide(undecided, act, story.shoe)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (settle_nothing, "every command but a deal needs its round"),
        (deal_twice, "a round is dealt once"),
        (deal_to_nobody, "a deal has at least one box"),
        (open_twice, "a round is opened once"),
        (stand_on_a_hand_that_is_not_there, "an event names a hand of its round"),
        (begin_in_the_middle, "a round begins with RoundOpened"),
        (fold_nothing, "a round has at least one event"),
        (halve_an_odd_wager, "the table's step makes halves exact"),
        (pay_a_bonus_that_is_not_offered, "a bonus wager needs a paytable"),
        (pay_a_fraction, "a table whose step is not exact is refused when loaded"),
        (peek_at_nothing, "the dealer peeks at a dealt card"),
        (act_when_all_hands_stand, "a round in play has an active hand"),
        (play_the_dealer_without_a_card, "the dealer plays a dealt hand"),
    ],
)
def test_a_broken_assumption_is_named(broken: Callable[[], None], words: str) -> None:
    with pytest.raises(AssertionError) as caught:
        broken()
    assert str(caught.value).partition("\n")[0] == words
