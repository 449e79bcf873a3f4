"""Chances worked out on paper, against what the rules make of every card."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import perm

import pytest

from service.rules.cards import CARDS, RANKS, SUITS, Card
from service.rules.sidebet import best_line, run_of
from tests.rules.rig import tell
from tests.rules.tables import PROGRESSIVE

PAYS = PROGRESSIVE.bonus_pays or {}


def chance_of(suits: tuple[str, ...], decks: int) -> Fraction:
    """Return the chance that a shoe begins with aces of these suits in this order."""
    of_each = Counter(suits)
    ways = 1
    for count in of_each.values():
        ways *= perm(decks, count)
    return Fraction(ways, perm(52 * decks, len(suits)))


def counted(decks: int) -> dict[str | None, Fraction]:
    """Count the first four cards of a hand: aces by suit, then anything else or not."""
    chances: dict[str | None, Fraction] = {}
    for length in range(5):
        for suits in product(SUITS, repeat=length):
            cards = [Card(f"A{suit}") for suit in suits]
            chance = chance_of(suits, decks)
            if length < 4:
                others = 48 * decks
                chance *= Fraction(others, 52 * decks - length)
                cards.append(Card("KS"))
            line = best_line(cards, PAYS)
            chances[line] = chances.get(line, Fraction(0)) + chance
            assert len(run_of(cards)) == length
    return chances


def on_paper(decks: int) -> dict[str, Fraction]:
    """Return the lines' chances in closed form; n aces of a suit, 4n in all."""
    n, cards = decks, 52 * decks
    four = Fraction(1, perm(cards, 4))
    three = Fraction(48 * n, perm(cards, 4))
    two = Fraction(48 * n, perm(cards, 3))
    suited3 = 4 * perm(n, 3)
    jackpot = 2 * perm(2 * n, 4)
    # Three of one suit and then one of the other colour keep the dearer line.
    kept = suited3 * 2 * n
    return {
        "four_aces_of_one_colour": jackpot * four,
        "three_suited_aces": suited3 * three + kept * four,
        "four_unsuited_aces": (perm(4 * n, 4) - jackpot - kept) * four,
        "three_unsuited_aces": (perm(4 * n, 3) - suited3) * three,
        "two_suited_aces": 4 * perm(n, 2) * two,
        "two_unsuited_aces": (perm(4 * n, 2) - 4 * perm(n, 2)) * two,
    }


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_the_lines_of_the_bonus_have_their_chances_on_paper(decks: int) -> None:
    chances = counted(decks)
    assert sum(chances.values()) == 1
    del chances[None]
    assert {line: chances.get(line, 0) for line in PAYS} == on_paper(decks)


def test_every_line_of_the_bonus_can_be_reached_with_eight_decks() -> None:
    assert counted(8).keys() == {None, *PAYS}
    assert all(chance > 0 for chance in counted(8).values())


@pytest.mark.parametrize("decks", [6, 8])
def test_a_natural_is_as_likely_as_on_paper(decks: int) -> None:
    naturals = Fraction(0)
    for first, second in product(CARDS, repeat=2):
        ways = decks * (decks - (first == second))
        if tell(f"P {first},{second} | U 9 | H 8").results == "natural":
            naturals += Fraction(ways, perm(52 * decks, 2))
    aces, tens = 4 * decks, 16 * decks
    assert naturals == Fraction(2 * aces * tens, 52 * decks * (52 * decks - 1))


@pytest.mark.parametrize(
    ("decks", "expected"), [(6, Fraction(-23, 311)), (8, Fraction(-31, 415))]
)
def test_insurance_loses_what_is_published(decks: int, expected: Fraction) -> None:
    """Known is the dealer's ace alone; the figure is for one unit of insurance."""
    mean = Fraction(0)
    for rank in RANKS:
        left = 4 * decks - (rank == "A")
        insured = tell(f"P T,9 | U A | H {rank}", "insure").round
        won = (insured.boxes[0].insurance_payout or 0) - 500
        mean += Fraction(left * won, 500 * (52 * decks - 1))
    assert mean == expected
