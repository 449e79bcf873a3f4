"""What other games let the client see too early: rounds, events and refusals.

The numbers are those of faults.toml, which says where each fault is shown.
"""

import json
from typing import get_args

import pytest

from service.rules import events
from service.rules.events import Event, HoleCardRevealed
from service.rules.round import Round
from service.rules.stored import encode
from service.rules.table import TableRules
from tests.rules.rig import Story, tell
from tests.rules.tables import AMERICAN, CLASSIC, SHARED, TABLES

every_table = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))


def written(story: Story) -> str:
    """Return all that is stored of a round so far, as text."""
    return json.dumps([encode(event) for event in story.log])


@every_table
def test_30_a_hit_does_not_show_the_hole_card(table: TableRules) -> None:
    story = tell("P 5,6 | U T | H 7D | 2,9", "hit", at=table)
    assert story.round.dealer == ("TS",)
    assert "7D" not in written(story)
    assert "7D" not in str(story.round)


def test_31_nobodys_move_shows_the_hole_card_to_the_others() -> None:
    story = tell("P T,2 / 9,8 / 7,4 | U 9 | H 6D | T,5,5", at=SHARED)
    for move in ("hit", "stand", "hit"):
        story.play(move)
        assert "6D" not in written(story)
        assert len(story.round.dealer) == 1
    assert "6D" in written(story.play("stand"))


def test_31_the_next_hand_of_a_split_does_not_see_the_hole_card() -> None:
    story = tell("P 8,8 | U 9 | H 6D | 9,9,5", "split stand")
    assert story.round.active_hand == story.hand("1b")
    assert "6D" not in written(story)
    assert "6D" in written(story.play("stand"))


@every_table
def test_33_no_card_leaves_the_shoe_after_all_hands_are_bust(table: TableRules) -> None:
    story = tell("P T,6 | U 6 | H T | 9,KC,QC", "hit", at=table)
    assert story.results == "bust"
    assert len(story.round.dealer) == 2
    assert "KC" not in written(story.play("settle"))
    assert story.unused == 2


def test_34_the_log_that_a_newcomer_reads_has_one_dealer_card() -> None:
    story = tell("P T,2 / 9,8 | U A | H 6D | 5", "insure", at=SHARED)
    shown = [event for event in story.log if isinstance(event, events.UpcardDealt)]
    assert [event.card for event in shown] == ["AS"]
    assert not [event for event in story.log if isinstance(event, HoleCardRevealed)]
    assert "6D" not in written(story)


def test_35_nothing_holds_the_cards_that_have_not_been_dealt() -> None:
    fields = {
        name
        for kind in (*get_args(Event), Round)
        for name in kind._fields
        if "card" in name or "shoe" in name or "order" in name
    }
    assert fields == {"card", "cards", "shoe_id"}
    story = tell("P T,2 | U 9 | H 6D | 5C,4C,3C")
    assert not [card for card in ("6D", "5C", "4C", "3C") if card in str(story.round)]


@every_table
def test_36_under_a_ten_the_deal_itself_shows_a_dealer_natural(
    table: TableRules,
) -> None:
    story = tell("P 5,6 / 8,8 | U K | H A", at=table)
    assert story.round.status == "awaiting_settlement"
    assert story.actions == "settle"
    for move in ("double", "hit"):
        refusal = story.refused(tell("P 5,6 | U 9 | H A", at=table).command(move))
        assert refusal.code == "round_decided"
    assert (story.net, story.round.stake) == (-20, 2000)


@pytest.mark.parametrize("upcard", "23456789")
def test_36_no_peek_is_told_where_no_natural_can_be(upcard: str) -> None:
    story = tell(f"P 5,6 | U {upcard} | H A | T")
    assert story.round.natural is None
    assert "dealer_peeked" not in story.words


@pytest.mark.parametrize("table", [CLASSIC, AMERICAN])
def test_36_under_an_ace_the_answer_to_insurance_shows_it(table: TableRules) -> None:
    story = tell("P 5,6 | U A | H K", at=table)
    assert story.words[-1] == "hole_card_dealt"
    story.play("pass")
    assert story.words == [
        *("insurance_declined", "dealer_peeked", "hole_card_revealed"),
        *("hand_resolved", "round_decided"),
    ]
