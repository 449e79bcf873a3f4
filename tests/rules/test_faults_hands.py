"""What other games got wrong about the value of a hand; here with the right value.

The numbers are those of faults.toml, which says where each fault is shown.
"""

import pytest

from service.rules.cards import total_of
from service.rules.table import TableRules
from tests.rules.rig import suited, tell
from tests.rules.tables import AMERICAN, CLASSIC, TABLES


def test_1_an_ace_drawn_late_does_not_bust_the_hand() -> None:
    story = tell("P 5,A | U T | H 7 | A,5,9", "hit hit")
    assert story.hand("1a").total == (12, False)
    assert story.hand("1a").state == "open"
    assert story.actions == "hit stand"
    story.play("hit")
    assert story.hand("1a").total.points == 21
    assert (story.results, story.net) == ("win", 10)


@pytest.mark.parametrize(
    ("cards", "points", "soft"),
    [
        ("A A A 6", 19, True),
        ("4 A A 5", 21, True),
        ("A A T", 12, False),
        ("5 A A 5", 12, False),
        ("A", 11, True),
        ("A A A A A A A A", 18, True),
        ("T 9 A A", 21, False),
        ("T A", 21, True),
        ("J Q K", 30, False),
        ("2 3 4 5 6", 20, False),
    ],
)
def test_2_and_3_one_ace_at_most_counts_eleven(
    cards: str, points: int, *, soft: bool
) -> None:
    names = cards.split()
    assert total_of(suited(names)) == (points, soft)
    assert total_of(suited(names[::-1])) == (points, soft)


def test_2_one_ace_that_must_be_one_leaves_the_others_as_they_are() -> None:
    story = tell("P A,A | U T | H 7 | A,6", "hit hit")
    assert story.hand("1a").total == (19, True)
    assert tell("P A,A | U T | H 7 | A,6", "hit hit stand").net == 10


def test_3_two_aces_and_a_king_are_twelve() -> None:
    story = tell("P A,A | U T | H 7 | K", "hit")
    assert story.hand("1a").total == (12, False)
    assert story.actions == "hit stand"


def test_4_a_dealer_with_four_ace_seven_is_not_bust() -> None:
    story = tell("P T,8 | U 4 | H A | 7,9", "stand")
    assert total_of(story.round.dealer).points == 21
    assert (story.results, story.net) == ("lose", -10)


@pytest.mark.parametrize(
    ("cards", "dealer", "result"),
    [
        ("P T,8 | U 6 | H A | 5,9", "6 A 5 9", "lose"),  # 17 soft, 12, 21
        ("P T,8 | U 4 | H 2 | A,T", "4 2 A T", "win"),  # 17 soft, 17 hard
        ("P T,8 | U 6 | H A | A", "6 A A", "push"),  # 17 soft, 18 soft
        ("P T,9 | U 2 | H A | 4,T", "2 A 4 T", "win"),  # 13 soft, 17 soft, 17 hard
        ("P T,9 | U 2 | H A | 5", "2 A 5", "win"),  # 18 soft
    ],
)
def test_5_a_dealer_who_hits_soft_17_goes_on_until_hard_17(
    cards: str, dealer: str, result: str
) -> None:
    story = tell(cards, "stand", at=AMERICAN)
    ranks = " ".join(card[0] for card in story.round.dealer)
    assert (ranks, story.results) == (dealer, result)


def test_6_the_same_cards_on_tables_that_stand_and_hit_on_soft_17() -> None:
    cards = "P T,8 | U 6 | H A | 4"
    stands = tell(cards, "stand", at=CLASSIC)
    hits = tell(cards, "stand", at=AMERICAN)
    assert (stands.results, stands.net, stands.unused) == ("win", 10, 1)
    assert (hits.results, hits.net, hits.unused) == ("lose", -10, 0)


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_7_a_natural_beats_a_drawn_21_either_way_round(table: TableRules) -> None:
    story = tell("P A,K / T,8 | U 5 | H 6 | T", "stand", at=table)
    assert total_of(story.round.dealer).points == 21
    assert story.results == "natural lose"
    assert (story.paid("1a"), story.paid("2a")) == (25, 0)
    dealers = tell("P 7,7 | U T | H A | 7", at=table)
    assert dealers.round.status == "awaiting_settlement"
    assert (dealers.results, dealers.net, dealers.unused) == ("lose", -10, 1)
