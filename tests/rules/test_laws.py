"""Laws over whole rounds, at all tables and at tables that differ from them."""

import json
from collections import Counter

import pytest
from hypothesis import given

from service.rules.commands import Refused
from service.rules.decide import decide
from service.rules.events import HoleCardRevealed
from service.rules.fold import fold
from service.rules.legal import legal_actions
from service.rules.stored import decode, encode
from service.rules.table import TableRules, longest_round
from tests.rules.rig import Story
from tests.rules.tables import SHARED
from tests.rules.worlds import (
    World,
    all_commands,
    legal_commands,
    played,
    steps,
    worlds,
)


def most_cards(table: TableRules, boxes: int) -> int:
    """Return a number of cards that no round of so many boxes passes."""
    highest_draw = 20 if table.stand_on_21 else 21
    return longest_round(table.decks, boxes * table.split_hands + 1, highest_draw)


@given(worlds())
def test_rounds_end(world: World) -> None:
    story = played(world)
    assert story.round.status == "settled"
    assert legal_commands(story.round) == {}
    # A command beside deal, insurance and settlement draws a card or ends a hand.
    boxes, hands = len(story.round.boxes), len(story.round.hands)
    most = most_cards(world.deal.table, boxes)
    assert len(story.commands) <= 2 + boxes + most + hands
    assert story.round.next_place - story.round.opened.first_place <= most


@given(worlds(most_boxes=3))
def test_legal_is_exactly_what_is_accepted(world: World) -> None:
    for story in steps(world):
        if world.chance.random() < 0.6 and story.round.status == "playing":
            continue
        listed = legal_commands(story.round)
        accepted = set()
        for command in all_commands(story.round):
            try:
                events = decide(story.round, command, story.shoe)
            except Refused:
                continue
            accepted.add(command)
            assert events
            cost = fold(events, story.round).stake - story.round.stake
            assert cost == listed[command].cost
        assert accepted == listed.keys()


@given(worlds())
def test_what_is_listed_for_all_is_what_is_listed_for_each(world: World) -> None:
    for story in steps(world):
        each = [
            entry
            for player in sorted({box.player for box in story.round.boxes})
            for entry in legal_actions(story.round, player)
        ]
        if story.round.status == "awaiting_settlement":
            each = each[:1]
        assert list(legal_actions(story.round)) == each
        strangers = legal_actions(story.round, "zoe")
        assert [e.command for e in strangers] in ([], ["settle"])


@given(worlds())
def test_the_stored_log_gives_the_same_round(world: World) -> None:
    versions = {world.deal.table.version: world.deal.table}
    story = world.story()
    for story in steps(world):
        text = json.dumps([encode(event) for event in story.log])
        log = [decode(event, versions) for event in json.loads(text)]
        assert log == story.log
        assert fold(log) == story.round


@given(worlds())
def test_a_round_may_be_read_in_two_parts(world: World) -> None:
    story = played(world)
    for cut in range(1, len(story.log)):
        assert fold(story.log[cut:], fold(story.log[:cut])) == story.round
    commands = zip(story.commands[1:], story.replies[1:], strict=True)
    round_ = fold(story.replies[0])
    for command, reply in commands:
        assert decide(round_, command, story.shoe) == reply
        round_ = fold(reply, round_)


def named_cards(story: Story) -> list[str]:
    """Return every card that the events so far name."""
    named: list[str] = []
    for event in story.log:
        stored = encode(event)
        named += [stored["card"]] if "card" in stored else stored.get("cards", [])
    return named


@given(worlds())
def test_events_name_the_cards_that_have_fallen_and_no_other(world: World) -> None:
    for story in steps(world):
        round_ = story.round
        fallen = range(round_.opened.first_place, round_.next_place)
        shown = any(isinstance(event, HoleCardRevealed) for event in story.log)
        seen = [
            story.shoe.card_at(p) for p in fallen if shown or p != round_.hole_place
        ]
        assert Counter(named_cards(story)) == Counter(seen)
        in_hands = [card for hand in round_.hands for card in hand.cards]
        assert Counter([*in_hands, *round_.dealer]) == Counter(seen)
        assert max(Counter(seen).values()) <= world.deal.table.decks


@given(worlds())
def test_hands_stand_in_playing_order_under_their_own_names(world: World) -> None:
    table = world.deal.table
    for story in steps(world):
        hands = story.round.hands
        assert [hand.box for hand in hands] == sorted(hand.box for hand in hands)
        for box in story.round.boxes:
            names = [hand.name for hand in hands if hand.box == box.box]
            assert names[0] == f"{box.box}a"
            assert sorted(names) == [f"{box.box}{'abcd'[n]}" for n in range(len(names))]
            assert len(names) <= table.split_hands
        if story.round.active_hand is not None:
            waiting = hands.index(story.round.active_hand)
            assert all(hand.state != "open" for hand in hands[:waiting])
            assert story.round.active_hand.state == "open"


@given(worlds(tables=[SHARED]), worlds(tables=[SHARED]))
def test_a_running_shoe_is_dealt_on_where_the_last_round_ended(
    world: World, other: World
) -> None:
    place = played(world).round.next_place
    if SHARED.shoe_is_finished(place):
        with pytest.raises(IndexError):
            world.shoe.card_at(-1)
        return
    deal = other.deal._replace(first_place=place)
    story = played(World(deal, world.shoe, other.chance))
    assert story.round.opened.first_place == place
    assert story.round.next_place <= SHARED.cards
