"""The convention of published expectations, kept apart from the exact figure.

Published tables value a hand of a split by how many hands there are, and do not look
at the others' cards. They do not say when the hands are counted: when the hand is
played, or when the split is over. The five expectations that are checked here (Wizard
of Odds, blackjack appendix 9) all lie between the two, and their mean is within a
millionth of each.
"""

from typing import NamedTuple

from service.analysis.hands import hands_from
from service.analysis.plays import Pays, best_of, pays_of, value
from service.analysis.ranks import RANKS
from service.analysis.splits import ROOT, Pair, State, row_of_pair
from service.analysis.upcards import UNSPLIT, Against
from service.rules.cards import PAIR
from service.rules.table import TableRules


class Published(NamedTuple):
    """An expectation under both readings of the convention, in wagers."""

    when_played: float
    when_over: float

    @property
    def mean(self) -> float:
        """The middle of the two."""
        return (self.when_played + self.when_over) / 2


class _Hand(NamedTuple):
    """With so many hands: a second card's chance to pair, and what a hand is worth.

    ``other`` is a hand whose second card makes no pair.
    """

    again: float
    any: float
    other: float


def published_expectation(table: TableRules) -> Published:
    """Return best play's expectation as published tables reckon it."""
    pays = pays_of(table)
    found = [0.0, 0.0]
    for upcard in RANKS:
        against = Against(table, upcard)
        pairs = {
            rank: against.pair(rank, first_only=True)
            for rank in RANKS
            if against.shoe[rank - 1] >= PAIR
        }
        hands = hands_from(UNSPLIT)
        values = value(hands, against.outcomes, pays, against.may, best_of)
        for reading in (False, True):
            total = float(values.best[ROOT]) - against.lost_to_naturals
            for rank, pair in pairs.items():
                row = row_of_pair(UNSPLIT, rank)
                split = _split(pair, pays, over=reading)
                total += max(0.0, float(split * values.mass[row] - values.best[row]))
            found[reading] += float(against.chance) * total
    return Published(*found)


def _split(pair: Pair, pays: Pays, *, over: bool) -> float:
    known = {}
    for hands in range(PAIR, pair.limit + 1):
        values = pair.values(State(hands, 0), pays, best_of)
        mass = float(values.mass[ROOT])
        if mass:
            again = float(values.mass[pair.row]) / mass
            other = float(values.best[ROOT] - values.best[pair.row]) / mass
            each = float(values.best[ROOT]) / mass
            known[hands] = _Hand(again, each, other / (1 - again))
    return max(_rest(known, State(PAIR, 0), limit, over=over) for limit in known)


def _rest(known: dict[int, _Hand], state: State, limit: int, *, over: bool) -> float:
    """Return what the hands still to be played are worth; all, when it is over."""
    hands, played = state
    waiting, hand = hands - played, known[hands]
    counted = played * hand.other if over else 0.0
    if waiting == 0 or hands == limit:
        return counted + waiting * hand.any
    more = _rest(known, State(hands + 1, played), limit, over=over)
    fewer = _rest(known, State(hands, played + 1), limit, over=over)
    now = 0.0 if over else hand.other
    return hand.again * more + (1 - hand.again) * (now + fewer)
