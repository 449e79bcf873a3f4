"""Chances that are plain fractions: naturals, insurance, the consecutive aces."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import perm

from service.analysis.chart import Chart
from service.analysis.ranks import ACE, RANKS, full_shoe
from service.rules.cards import PAIR, SUITS, TEN, Card
from service.rules.sidebet import MOST_ACES, best_line
from service.rules.table import BONUS_LINES, TableRules

Goes = Callable[[int, int], bool]
"""Tells for an upcard and a run of so many aces whether the hand takes a card."""


def natural_chance(decks: int) -> Fraction:
    """Return the chance of a natural in the first two cards of a fresh shoe.

    >>> natural_chance(8) == 2 * Fraction(32, 416) * Fraction(128, 415)
    True
    """
    shoe = full_shoe(decks)
    cards = sum(shoe)
    return Fraction(2 * shoe[ACE - 1] * shoe[TEN - 1], cards * (cards - 1))


def insurance_expectation(table: TableRules) -> Fraction:
    """Return what insurance wins per wager of it, knowing only the dealer's ace.

    At 2:1 that is -23/311 with six decks, and -31/415 with eight.
    """
    shoe = full_shoe(table.decks)
    chance = Fraction(shoe[TEN - 1], sum(shoe) - 1)
    return chance * (1 + Fraction(*table.insurance_pays)) - 1


def line_chances(table: TableRules, goes: Goes) -> dict[str, Fraction]:
    """Return the chance of each bonus line in a fresh shoe, lines without one too.

    Document 000: the aces at the start of a box's first hand, at most four; the highest
    line that the run passes through. A third card comes only if the dealer has no
    natural and the player takes one.
    """
    pays = table.bonus_pays
    assert pays is not None, "a table without a bonus has no lines"
    found = dict.fromkeys(BONUS_LINES, Fraction(0))
    for suits in _runs():
        chance = _passes(table, suits, goes)
        if chance and len(suits) < MOST_ACES:
            chance -= sum(_passes(table, (*suits, suit), goes) for suit in SUITS)
        line = best_line([Card(f"A{suit}") for suit in suits], pays)
        if line is not None:
            found[line] += chance
    return found


def bonus_return(table: TableRules, chances: Mapping[str, Fraction]) -> Fraction:
    """Return what a bonus wager is paid on average, itself included ("for one")."""
    pays = table.bonus_pays or {}
    return sum((chance * pays[line] for line, chance in chances.items()), Fraction(0))


def always(_: int, __: int) -> bool:
    """Take a card to any run of aces: the play that is best for the bonus alone."""
    return True


def by(chart: Chart) -> Goes:
    """Return whether a chart takes a card to so many aces, and does not split them."""

    def goes(upcard: int, aces: int) -> bool:
        pair = ACE if aces == PAIR else None
        first = chart.move(12, upcard, soft=True, pair=ACE, double=True)
        if aces == PAIR:
            return first in {"hit", "double"}
        points = aces + TEN
        move = chart.move(points, upcard, soft=True, pair=pair, double=False)
        return first == "hit" and move == "hit"

    return goes


def _runs() -> Iterator[tuple[str, ...]]:
    for length in range(PAIR, MOST_ACES + 1):
        yield from product(SUITS, repeat=length)


def _passes(table: TableRules, suits: tuple[str, ...], goes: Goes) -> Fraction:
    """Return the chance that a hand's first cards are aces of these suits in order."""
    aces, cards, drawn = full_shoe(table.decks)[0], table.cards, len(suits)
    ways = 1
    for suit in SUITS:
        ways *= perm(table.decks, suits.count(suit))
    chance = Fraction(ways, perm(cards, drawn))
    if drawn == PAIR:
        return chance
    left = cards - drawn
    held = dict(zip(RANKS, full_shoe(table.decks), strict=True))
    held[ACE] = aces - drawn
    played = Fraction(0)
    for upcard in RANKS:
        if all(goes(upcard, length) for length in range(PAIR, drawn)):
            hole = {ACE: TEN, TEN: ACE}.get(upcard)
            peeked = 1 - Fraction(held[hole] if hole else 0, left - 1)
            played += Fraction(held[upcard], left) * peeked
    return chance * played
