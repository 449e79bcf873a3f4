"""No round passes the number of cards that is reckoned for it, however it is played."""

import dataclasses
from collections.abc import Sequence

import pytest
from hypothesis import given

from service.rules.cards import Card, deck_order
from service.rules.table import TableRules, contradictions, longest_round
from tests.rules.rig import Rigged, Story, deal_of, suited
from tests.rules.tables import AMERICAN, CLASSIC, PROGRESSIVE, SHARED, varied
from tests.rules.worlds import World, worlds

SMALL_FIRST = "A23456789TJQK"


def bound(table: TableRules, boxes: int) -> int:
    highest_draw = 20 if table.stand_on_21 else 21
    return longest_round(table.decks, boxes * table.split_hands + 1, highest_draw)


def greedy(story: Story) -> Story:
    """Split what may be split, hit whatever may be hit."""
    story.play("passes")
    while story.round.status == "playing":
        story.play(next(a for a in ("split", "hit", "stand") if a in story.actions))
    return story


def smallest_first(table: TableRules, pairs: str) -> list[Card]:
    """Return a whole shoe: the pairs to split, then the smallest cards."""
    order = pairs + SMALL_FIRST
    return sorted(deck_order(table.decks), key=lambda card: order.index(card[0]))


def longest_of(table: TableRules, order: Sequence[Card], boxes: int) -> int:
    """Return the cards that a greedy round takes from the last place to begin."""
    first = (table.cut_card or 1) - 1
    shoe = Rigged(tuple(order[: table.cards - first]), first)
    story = greedy(Story(deal_of(table, [10] * boxes, first_place=first), shoe))
    assert story.round.status == "awaiting_settlement"
    return story.round.next_place - first


ONE_DECK = varied(CLASSIC, decks=1, boxes=5)
TABLES = {
    "000": PROGRESSIVE,
    "001": SHARED,
    "002": CLASSIC,
    "003": AMERICAN,
    "21 may be hit": varied(AMERICAN, stand_on_21=False),
    "21 may be hit, shared": varied(SHARED, stand_on_21=False),
    "latest cut": varied(SHARED, cut_card=303),
    "one deck": ONE_DECK,
    "one deck, 21 may be hit": varied(ONE_DECK, stand_on_21=False),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_the_longest_round_stays_within_its_bound(table: TableRules) -> None:
    for pairs in ("2", "3", "4", "5", "32", "23", "T", "8", "A"):
        order = smallest_first(table, pairs)
        for boxes in range(1, table.boxes + 1):
            assert longest_of(table, order, boxes) <= bound(table, boxes)


def test_the_bound_is_not_far_off() -> None:
    longest = max(longest_of(AMERICAN, smallest_first(AMERICAN, p), 5) for p in "2345")
    assert longest > 0.6 * bound(AMERICAN, 5)


RUNS_OUT = """
JC JH TH KS QS 9C JS QH KD KH QD QC 9H TD 9D JD 8S AC 9S 5S 2C 4S 4D TC 3H KC
2H TS 5D 4C 8C 7D AS 6C 6S 3C 8H 5H 6D AD 5C 3S 7S 4H AH 8D 2D 2S 6H 7H 3D 7C
"""


def test_a_table_that_is_refused_for_its_cards_can_indeed_run_out() -> None:
    one_deck = dataclasses.replace(AMERICAN, decks=1)
    (told,) = contradictions(one_deck)
    assert told.startswith("decks: a round may need ")
    order = suited(RUNS_OUT.split())
    assert sorted(order) == sorted(deck_order(1))
    with pytest.raises(IndexError):
        longest_of(one_deck, order, 5)


@given(worlds())
def test_a_greedy_round_on_any_shoe_stays_within_its_bound(world: World) -> None:
    story = greedy(world.story())
    used = story.round.next_place - world.shoe.first_place
    assert used <= bound(world.deal.table, len(story.round.boxes))
