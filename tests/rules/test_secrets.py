"""The swapped hole card: what a player can see before the reveal does not change.

The world is played; then the hole card is exchanged for a card that has not fallen and
gives the same peek, and the same commands are given again.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given

from service.rules.cards import CARDS, Card
from service.rules.commands import Command, Refused
from service.rules.decide import decide
from service.rules.events import HoleCardRevealed
from service.rules.legal import legal_actions
from service.rules.round import Round
from service.rules.stored import encode
from service.rules.table import TableRules
from tests.rules.oracle import points
from tests.rules.rig import Rigged, Story, deal_of, shoe_of
from tests.rules.tables import TABLES
from tests.rules.worlds import World, all_commands, players_of, steps, worlds


def seen(round_: Round, shoe: Rigged) -> list[Any]:
    """Return what each player and a stranger may do, and every refusal's words."""
    told: list[Any] = [
        legal_actions(round_, player) for player in (*players_of(round_), "zoe", None)
    ]
    for command in all_commands(round_):
        try:
            decide(round_, command, shoe)
        except Refused as refusal:
            told.append((refusal.code, refusal.detail, refusal.reason))
    return told


def until_reveal(events: list[Any]) -> str:
    """Return the stored events up to the reveal of the hole card, as bytes would be."""
    shown = []
    for event in events:
        if isinstance(event, HoleCardRevealed):
            break
        shown.append(encode(event))
    return json.dumps(shown)


def revealed(story: Story) -> bool:
    """Tell whether the hole card has been shown."""
    return any(isinstance(event, HoleCardRevealed) for event in story.log)


def others(world: World, round_: Round, fallen: int) -> Iterator[tuple[int, Card]]:
    """Yield the cards, by place, that could be the hole card for all that is known."""
    hole = round_.hole_place
    assert hole is not None
    upcard, card = round_.dealer[0], world.shoe.card_at(hole)
    peeked = upcard[0] in "ATJQK"
    natural = points([upcard, card]) == 21
    for place in range(fallen, len(world.shoe.cards) + world.shoe.first_place):
        other = world.shoe.card_at(place)
        if not peeked or (points([upcard, other]) == 21) is natural:
            yield place, other


def swapped(shoe: Rigged, one: int, two: int) -> Rigged:
    """Return the shoe with the cards at two places exchanged."""
    cards = list(shoe.cards)
    one, two = one - shoe.first_place, two - shoe.first_place
    cards[one], cards[two] = cards[two], cards[one]
    return Rigged(tuple(cards), shoe.first_place)


@given(worlds(most_boxes=3))
def test_the_swapped_hole_card_changes_nothing_before_its_reveal(world: World) -> None:
    commands: list[Command] = []
    fallen = world.shoe.first_place
    story = world.story()
    for story in steps(world):
        commands = story.commands
        if revealed(story):
            break
        fallen = story.round.next_place
    drawn = max(fallen, story.round.next_place)
    choices = list(others(world, story.round, drawn))
    assume(choices)
    place, other = world.chance.choice(choices)
    hole = story.round.hole_place
    assert hole is not None
    shoe = swapped(world.shoe, hole, place)
    assert shoe.card_at(hole) == other
    twin = Story(world.deal, shoe)
    first = Story(world.deal, world.shoe)
    for command in (None, *commands[1:]):
        if command is not None:
            first.do(command)
            twin.do(command)
        assert until_reveal(first.replies[-1]) == until_reveal(twin.replies[-1])
        assert revealed(first) is revealed(twin)
        if not revealed(first):
            assert first.round == twin.round
            assert seen(first.round, world.shoe) == seen(twin.round, shoe)
    assert revealed(twin)


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
@pytest.mark.parametrize("upcard", ["AS", "TS", "KS", "6S"])
def test_no_hole_card_of_one_peek_differs_from_another(
    table: TableRules, upcard: str
) -> None:
    told: dict[bool, set[str]] = {True: set(), False: set()}
    for hole in CARDS:
        spare = "2H,3H,4H,5H,6H,7H,TH,TD,TC,9H,9S,KH"  # enough for any dealer
        cards = f"P 8H,8D / 5H,6H | U {upcard} | H {hole} | 3D,3C,4H,9C,9D,{spare}"
        shoe = shoe_of(cards)
        story = Story(deal_of(table, [10, 10]), shoe)
        visible = until_reveal(story.log) + str(seen(story.round, shoe))
        for move in ("passes", "split", "hit", "stand", "double", "hit", "stand"):
            if revealed(story):
                break
            story.play(move)
            visible += until_reveal(story.replies[-1])
            visible += "" if revealed(story) else str(seen(story.round, shoe))
        told[story.round.natural is True].add(visible)
    assert len(told[False]) == 1
    assert len(told[True]) == (upcard != "6S")


@given(worlds(most_boxes=2))
def test_no_shoe_is_looked_into_beyond_what_falls(world: World) -> None:
    """Hide the whole rest of the shoe: what is decided now does not need it."""
    for story in steps(world):
        last = story.round.next_place - world.shoe.first_place
        cut = Rigged(world.shoe.cards[:last], world.shoe.first_place)
        again = Story(world.deal, cut)
        for command in story.commands[1:]:
            again.do(command)
        assert again.log == story.log


@given(worlds(most_boxes=2))
def test_a_refusal_never_looks_into_the_shoe(world: World) -> None:
    nothing = Rigged((), 0)
    for story in steps(world):
        for command in all_commands(story.round):
            try:
                decide(story.round, command, story.shoe)
            except Refused as refusal:
                with pytest.raises(Refused, match=re.escape(refusal.detail)):
                    decide(story.round, command, nothing)
