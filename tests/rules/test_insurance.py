"""Insurance: when it is asked, for how much, what it pays, and who answers."""

import pytest

from service.rules.commands import Insure
from service.rules.legal import legal_actions
from service.rules.settle import insurance_payout
from service.rules.table import TableRules
from tests.rules.rig import OPENED, tell
from tests.rules.tables import AMERICAN, CLASSIC, PROGRESSIVE, SHARED, TABLES

every_table = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
ALL_OR_NONE = pytest.mark.parametrize("table", [PROGRESSIVE, SHARED])
ANY = pytest.mark.parametrize("table", [CLASSIC, AMERICAN])


@every_table
@pytest.mark.parametrize("upcard", "A23456789TJQK")
def test_insurance_is_asked_under_an_ace_alone(table: TableRules, upcard: str) -> None:
    story = tell(f"P 5,6 | U {upcard} | H 7", at=table)
    assert (story.round.status == "insurance") is (upcard == "A")


@every_table
def test_a_natural_is_asked_too(table: TableRules) -> None:
    story = tell("P A,K | U A | H 7", at=table)
    assert story.round.status == "insurance"
    assert story.play("pass").net == 15
    assert tell("P A,K | U A | H K", "insure", at=table).net == 10


@every_table
@pytest.mark.parametrize("bet", [2, 3, 10, 33, 100])
def test_insurance_costs_exactly_half_of_the_wager(table: TableRules, bet: int) -> None:
    story = tell("P T,9 | U A | H 7", at=table, bets=[bet])
    assert [entry.cost for entry in story.legal] == [bet * 50, 0]
    story.play("insure")
    assert story.box(1).insurance == bet * 50
    assert story.round.stake == bet * 150


@every_table
@pytest.mark.parametrize(
    ("cards", "answer", "result", "net"),
    [
        ("P T,9 | U A | H T", "insure", "lose", 0),
        ("P T,9 | U A | H T", "pass", "lose", -10),
        ("P A,K | U A | H T", "insure", "push", 10),
        ("P A,K | U A | H T", "pass", "push", 0),
        ("P T,9 | U A | H 7", "insure stand", "win", 5),
        ("P T,9 | U A | H 7", "pass stand", "win", 10),
        ("P T,7 | U A | H 7", "insure stand", "lose", -15),
    ],
)
def test_what_insurance_comes_to(
    table: TableRules, cards: str, answer: str, result: str, net: int
) -> None:
    story = tell(cards, answer, at=table)
    assert (story.results, story.net) == (result, net)


@every_table
@pytest.mark.parametrize("hole", "TJQK")
def test_every_ten_value_card_under_an_ace_is_a_natural(
    table: TableRules, hole: str
) -> None:
    story = tell(f"P T,9 | U A | H {hole}", "insure", at=table)
    assert story.box(1).insurance_payout == 1500
    assert story.round.natural is True


@every_table
def test_insurance_is_answered_before_the_first_action(table: TableRules) -> None:
    story = tell("P 5,6 | U A | H 7 | T", at=table)
    assert story.actions == "insure insure"
    for action in ("hit", "stand", "double", "split"):
        act = tell("P 5,6 | U T | H 7", at=table).command(action)
        assert story.refused(act).code == "insurance_open"
    assert story.play("pass").actions == "hit stand double"


def test_lost_insurance_is_over_before_the_play_goes_on() -> None:
    story = tell("P T,9 | U A | H 7", "insure")
    assert story.lines == [
        "insurance_taken 1 500",
        "dealer_peeked False",
        "insurance_resolved 1 0",
    ]
    assert story.round.status == "playing"


def test_won_insurance_is_paid_in_the_command_that_shows_the_natural() -> None:
    story = tell("P T,9 / T,8 | U A | H K", "insure:2")
    assert story.lines[:5] == [
        "insurance_declined 1",
        "insurance_taken 2 500",
        "dealer_peeked True",
        "hole_card_revealed KS",
        "insurance_resolved 2 1500",
    ]
    settled = story.play("settle")
    assert settled.lines[0].endswith(" 0")
    assert settled.net == -10


@ALL_OR_NONE
def test_all_boxes_are_insured_or_none(table: TableRules) -> None:
    players = ["ann", "ann"] if table is PROGRESSIVE else ["ann", "bob"]
    story = tell("P T,9 / T,8 | U A | H 7", at=table, players=players)
    for boxes in ((1,), (2,)):
        told = [e.boxes for e in legal_actions(story.round, "ann")]
        if boxes not in told:
            assert story.refused(Insure("ann", boxes, OPENED)).code in {
                "insurance_all_or_none",
                "box_not_yours",
            }
    assert [e.boxes for e in legal_actions(story.round, "ann")] == (
        [(1, 2), ()] if table is PROGRESSIVE else [(1,), ()]
    )


@ANY
def test_any_of_the_boxes_may_be_insured(table: TableRules) -> None:
    story = tell("P T,9 / T,8 / T,7 | U A | H K", "insure:1,3", at=table)
    assert [box.insurance for box in story.round.boxes] == [500, 0, 500]
    assert [box.insurance_payout for box in story.round.boxes] == [1500, None, 1500]
    assert story.net == -10


def test_the_order_in_which_boxes_are_named_does_not_matter() -> None:
    story = tell("P T,9 / T,8 / T,7 | U A | H K")
    story.do(Insure("ann", (3, 1), OPENED + 1))
    assert story.lines == tell("P T,9 / T,8 / T,7 | U A | H K", "insure:1,3").lines


@pytest.mark.parametrize("boxes", [(0,), (4,), (2, 4), (-1,)])
def test_a_box_that_is_not_in_the_round_cannot_be_insured(
    boxes: tuple[int, ...],
) -> None:
    story = tell("P T,9 / T,8 | U A | H K")
    assert story.refused(Insure("ann", boxes, OPENED)).code == "box_not_yours"


def test_each_player_answers_for_himself_and_the_peek_waits_for_all() -> None:
    story = tell("P T,9 / T,8 / T,7 | U A | H K", "pass", at=SHARED)
    assert story.lines == ["insurance_declined 1"]
    assert story.round.status == "insurance"
    assert story.refused(Insure("bob", (1,), OPENED)).code == "box_not_yours"
    assert story.refused(Insure("ann", (), OPENED)).code == "insurance_answered"
    assert story.refused(Insure("eve", (), OPENED)).code == "insurance_answered"
    assert legal_actions(story.round, "ann") == ()
    assert [e.boxes for e in legal_actions(story.round, "bob")] == [(2,), ()]
    story.do(Insure("cid", (3,), OPENED))
    assert story.lines == ["insurance_taken 3 500"]
    story.do(Insure("bob", (), OPENED))
    assert story.words[-1] == "round_decided"
    assert (story.box(3).insurance_payout, story.net) == (1500, -20)


def test_everybody_is_listed_where_nobody_is_named() -> None:
    story = tell("P T,9 / T,8 | U A | H 7", at=SHARED)
    assert [entry.boxes for entry in story.legal] == [(1,), (), (2,), ()]


def test_after_a_peek_without_natural_nobody_learns_more() -> None:
    lines = {
        hole: tell(f"P T,9 | U A | H {hole}", "pass").lines for hole in "A23456789"
    }
    assert {tuple(told) for told in lines.values()} == {
        ("insurance_declined 1", "dealer_peeked False")
    }


def test_an_insurance_that_was_not_taken_pays_nothing() -> None:
    story = tell("P T,9 / T,8 | U A | H K", "insure:2")
    paid = [insurance_payout(story.round, box) for box in story.round.boxes]
    assert paid == [0, 1500]
