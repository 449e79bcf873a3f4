"""How a round is dealt and played: order, names, splits, doubles, the dealer."""

import pytest

from service.rules.cards import CARDS, POINTS, total_of
from service.rules.commands import Act
from service.rules.legal import ACTIONS
from service.rules.table import TableRules
from tests.rules.rig import Story, shoe_of, tell
from tests.rules.tables import (
    AMERICAN,
    CLASSIC,
    PROGRESSIVE,
    SHARED,
    TABLES,
    varied,
)

every_table = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
ONE_SPLIT = pytest.mark.parametrize("table", [PROGRESSIVE, SHARED, CLASSIC])


def names(story: Story) -> str:
    return " ".join(hand.name for hand in story.round.hands)


def ranks(story: Story, hand: str) -> str:
    return "".join(card[0] for card in story.hand(hand).cards)


@every_table
def test_cards_are_worth_their_face_and_face_cards_ten(table: TableRules) -> None:
    assert {card[0]: POINTS[card] for card in CARDS} == {
        **{str(n): n for n in range(2, 10)},
        **dict.fromkeys("TJQK", 10),
        "A": 1,
    }
    story = tell("P J,3 | U T | H 7 | 4", "hit", at=table)
    assert story.hand("1a").total == (17, False)


@every_table
def test_every_box_gets_two_cards_face_up_and_the_dealer_one(table: TableRules) -> None:
    story = tell("P 2S,4H / 3D,5C | U 9S | H 8D", at=table)
    assert story.lines[1:] == [
        "card_dealt 1a 2S",
        "card_dealt 2a 3D",
        "upcard_dealt 9S",
        "card_dealt 1a 4H",
        "card_dealt 2a 5C",
        "hole_card_dealt",
    ]


def test_a_round_begins_where_its_shoe_is() -> None:
    story = tell("P 2,4 | U 9 | H 8 | 5", at=SHARED, first_place=100)
    assert story.round.next_place == 104
    assert story.play("hit").round.next_place == 105
    assert story.hand("1a").total.points == 11


def test_boxes_are_dealt_and_played_in_their_order_whatever_the_deal_says() -> None:
    story = tell("P 2,4 / 3,5 | U 9 | H 8", boxes=[3, 1])
    assert names(story) == "1a 3a"
    assert ranks(story, "1a") == "24"


@every_table
def test_each_hand_is_finished_before_the_next(table: TableRules) -> None:
    story = tell("P T,2 / T,3 | U 9 | H 8 | 2,2,T", "hit hit", at=table)
    assert story.round.active_hand == story.hand("1a")
    story.play("stand")
    assert story.round.active_hand == story.hand("2a")
    assert story.play("hit").results == "lose bust"


@every_table
def test_hits_may_go_on_until_the_hand_is_over_21(table: TableRules) -> None:
    story = tell("P 2,2 | U 9 | H 8 | 2,2,3,3,4,4", at=table)
    for _ in range(5):
        story.play("hit")
        assert "hit" in story.actions
    story.play("hit")
    assert (story.results, story.net) == ("bust", -10)
    assert story.words[:2] == ["hand_hit", "hand_busted"]


@every_table
def test_a_bust_loses_though_the_dealer_would_bust_too(table: TableRules) -> None:
    story = tell("P T,6 / T,2 | U 6 | H T | T,T", "hit stand", at=table)
    assert total_of(story.round.dealer).points == 26
    assert story.results == "bust win"


@every_table
def test_the_dealers_bust_pays_every_hand_that_stands_one_to_one(
    table: TableRules,
) -> None:
    story = tell("P T,2 / T,3 | U 6 | H T | T", "stand stand", at=table)
    assert (story.results, story.net) == ("win win", 20)


@every_table
@pytest.mark.parametrize(
    ("hand", "dealer", "result", "net"),
    [
        ("T,9", "T | H 8", "win", 10),
        ("T,8", "T | H 8", "push", 0),
        ("T,7", "T | H 8", "lose", -10),
        ("T,7", "T | H 7", "push", 0),
        ("T,6", "T | H 7", "lose", -10),
        ("9,9", "9 | H 9", "push", 0),
    ],
)
def test_the_hand_closer_to_21_wins(
    table: TableRules, hand: str, dealer: str, result: str, net: int
) -> None:
    story = tell(f"P {hand} | U {dealer}", "stand", at=table)
    assert (story.results, story.net) == (result, net)


@every_table
def test_the_dealer_draws_to_17_and_stands(table: TableRules) -> None:
    story = tell("P T,8 | U 2 | H 3 | 4,5,2,A,T", "stand", at=table)
    assert [card[0] for card in story.round.dealer] == ["2", "3", "4", "5", "2", "A"]
    assert (story.results, story.unused) == ("win", 1)


@pytest.mark.parametrize(
    ("table", "cards", "drawn"),
    [
        (PROGRESSIVE, "U 6 | H A | 3", 0),
        (SHARED, "U 6 | H A | 3", 0),
        (CLASSIC, "U 6 | H A | 3", 0),
        (CLASSIC, "U 9 | H 8 | 3", 0),
        (CLASSIC, "U 9 | H 7 | 3", 1),
        (AMERICAN, "U 6 | H A | 3", 1),
        (AMERICAN, "U 7 | H A | 3", 0),
        (AMERICAN, "U 9 | H 8 | 3", 0),
        (AMERICAN, "U 9 | H 7 | 3", 1),
    ],
)
def test_where_the_dealer_stands(table: TableRules, cards: str, drawn: int) -> None:
    story = tell(f"P T,8 | {cards}", "stand", at=table)
    assert len(story.round.dealer) == 2 + drawn


@every_table
def test_there_is_nothing_to_do_but_hit_stand_double_and_split(
    table: TableRules,
) -> None:
    assert ACTIONS == ("hit", "stand", "double", "split")
    assert tell("P 8,8 | U T | H 7", at=table).actions == " ".join(ACTIONS)
    # With a natural against an ace there is insurance, and no even money.
    assert tell("P A,K | U A | H 7", at=table).actions == "insure insure"


@every_table
def test_a_split_makes_two_hands_with_a_bet_and_a_card_each(table: TableRules) -> None:
    story = tell("P 8S,8H | U T | H 7 | 3D,5C", "split", at=table)
    assert story.lines == ["hand_split 1a 1b 1000 3D,5C player"]
    assert (story.hand("1a").cards, story.hand("1b").cards) == (
        ("8S", "3D"),
        ("8H", "5C"),
    )
    assert [hand.stake for hand in story.round.hands] == [1000, 1000]
    assert (story.hand("1a").total, story.hand("1b").total) == (
        (11, False),
        (13, False),
    )
    assert story.round.active_hand == story.hand("1a")


@every_table
def test_the_left_hand_of_a_split_is_played_first(table: TableRules) -> None:
    story = tell("P 8,8 / T,9 | U T | H 7 | 3,5,2,T", "split hit", at=table)
    assert (names(story), ranks(story, "1a")) == ("1a 1b 2a", "832")
    story.play("stand hit")
    assert (story.hand("1b").state, story.round.active_hand) == (
        "busted",
        story.hand("2a"),
    )


@ONE_SPLIT
def test_a_hand_is_split_once(table: TableRules) -> None:
    story = tell("P 8,8 | U T | H 7 | 8,8", "split", at=table)
    assert story.actions == "hit stand double"
    assert story.refused("split").reason == "split_limit"
    assert story.play("stand").refused("split").reason == "split_limit"


def test_a_box_may_be_resplit_to_four_hands() -> None:
    story = tell("P 8,8 | U T | H 7 | 8,8,8,3,8,8", "split split", at=AMERICAN)
    assert names(story) == "1a 1c 1b"
    assert (ranks(story, "1a"), ranks(story, "1c"), ranks(story, "1b")) == (
        *("88", "83", "88"),
    )
    story.play("split")
    assert names(story) == "1a 1d 1c 1b"
    assert story.refused("split").reason == "split_limit"
    assert story.round.stake == 4000


def test_the_right_hand_of_a_split_may_be_resplit_in_its_place() -> None:
    story = tell(
        "P T,9 / 8,8 / T,9 | U T | H 7 | 3,8,3,2",
        "stand split stand split",
        at=AMERICAN,
    )
    assert names(story) == "1a 2a 2b 2c 3a"
    assert (ranks(story, "2b"), ranks(story, "2c")) == ("83", "82")


@ONE_SPLIT
def test_split_aces_get_one_card_each(table: TableRules) -> None:
    story = tell("P A,A | U T | H 7 | 2,A,T", "split", at=table)
    assert story.round.status == "awaiting_settlement"
    assert (ranks(story, "1a"), ranks(story, "1b"), story.unused) == ("A2", "AA", 1)


def test_split_aces_of_document_003_are_played_like_any_hand() -> None:
    story = tell("P A,A | U T | H 7 | A,5,2,3,9", "split", at=AMERICAN)
    assert story.actions == "hit stand double split"
    story.play("split hit")
    assert ranks(story, "1a") == "A29"
    assert names(story) == "1a 1c 1b"
    assert story.actions == "hit stand"


@every_table
def test_a_double_is_one_more_bet_one_card_and_the_end(table: TableRules) -> None:
    story = tell("P 2,2 | U T | H 7 | 2,2", "double", at=table)
    assert (ranks(story, "1a"), story.hand("1a").stake) == ("222", 2000)
    assert (story.results, story.net) == ("lose", -20)


@every_table
@pytest.mark.parametrize("pair", ["2,3", "T,9", "A,2", "5,5", "T,5", "A,A", "9,2"])
def test_any_two_cards_may_be_doubled(table: TableRules, pair: str) -> None:
    assert "double" in tell(f"P {pair} | U T | H 7", at=table).actions


@every_table
def test_a_double_needs_two_cards(table: TableRules) -> None:
    story = tell("P 2,3 | U T | H 7 | 2", "hit", at=table)
    assert story.refused("double").reason == "not_two_cards"


@every_table
def test_a_split_hand_may_be_doubled(table: TableRules) -> None:
    story = tell("P 8,8 | U T | H 7 | 3,3,T,9", "split double double", at=table)
    assert (story.results, story.round.stake, story.net) == ("win win", 4000, 40)


def test_a_hand_that_may_only_stand_stands_by_itself() -> None:
    closed = varied(CLASSIC, split_hands=3, split_aces_resplit=True)
    story = tell("P A,A | U T | H 7 | A,5,2,3", "split", at=closed)
    assert story.actions == "stand split"
    story.play("split")
    assert story.round.status == "awaiting_settlement"
    assert [hand.state for hand in story.round.hands] == ["stood"] * 3


def test_the_command_that_leaves_nothing_to_decide_also_plays_the_dealer() -> None:
    story = tell("P T,9 | U 6 | H T | 5", "stand")
    assert story.words == [
        *("hand_stood", "hole_card_revealed", "dealer_drew"),
        *("hand_resolved", "round_decided"),
    ]
    assert story.round.status == "awaiting_settlement"
    drawn = story.round.next_place
    assert story.play("settle").round.next_place == drawn


def test_who_decided_is_written_down() -> None:
    story = tell("P 8,8 | U T | H 7 | 3,2,4,4,5")
    lines = []
    for action in ("split", "double", "hit", "stand"):
        act = story.command(action)
        assert isinstance(act, Act)
        story.do(act._replace(decided_by="table"))
        lines.append(story.lines[0])
    assert lines == [
        "hand_split 1a 1b 1000 3S,2S table",
        "hand_doubled 1a 1000 4S table",
        "hand_hit 1b 4H table",
        "hand_stood 1b table",
    ]
    assert "hand_stood 1a rules" in tell("P A,K | U 9 | H 7").lines
    assert tell("P T,9 | U T | H 7", "stand").lines[0] == "hand_stood 1a player"


def test_a_shoe_of_a_story_lies_in_the_order_of_the_deal() -> None:
    shoe = shoe_of("P 2S,4S / 3S,5S | U 6S | H 7S | 8S,9S")
    assert "".join(card[0] for card in shoe.cards) == "23645789"
