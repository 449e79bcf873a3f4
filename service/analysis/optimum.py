"""The best play that looks at totals only, and what any such play is worth.

A cell of a chart is one decision for many hands: it is best when it is best for their
sum, each hand as often as the chart itself brings it about. Which hands come about
depends on cells of lower totals, what they are worth on cells of higher ones; so all
cells are chosen again until none changes. Then no single cell can be changed to
advantage, the hands of splits counted with the others.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from service.analysis.hands import Flags, Floats, Hands, Ints, hands_from
from service.analysis.plays import DOUBLE, HIT, STAND, May, Pays, Values, given, value
from service.analysis.splits import ROOT, row_of_pair
from service.analysis.upcards import UNSPLIT, Against
from service.rules.cards import BLACKJACK, PAIR

CLASSES: Final = 2 * (BLACKJACK + 1)
_ROUNDS: Final = 60
_NEGLIGIBLE: Final = 1e-12


class Column(NamedTuple):
    """A chart's cells against one upcard: by class (total twice, plus one if soft)."""

    hit: Flags
    double: Flags
    split: frozenset[int]


@dataclass(frozen=True)
class Part:
    """Hands that are played by the same column: unsplit, or of one state of a split.

    ``scale`` is what one unit of their weight stands for. Of some rows a share is not
    played here, since it splits.
    """

    hands: Hands
    outcomes: Floats
    may: May
    scale: float
    elsewhere: Mapping[int, float]

    def evaluated(self, column: Column, pays: Pays) -> Values:
        """Return the values of the rows when a column plays them."""
        actions = self.actions(column)
        return value(self.hands, self.outcomes, pays, self.may, given(actions))

    def actions(self, column: Column) -> Ints:
        """Return what a column does with each row."""
        kind = classes(self.hands)
        found = np.where(column.hit[kind] & self.may.hit, HIT, STAND)
        if self.may.double:
            doubles = column.double[kind] & (self.hands.size == PAIR)
            found = np.where(doubles, DOUBLE, found)
        return np.where(self.hands.size < PAIR, HIT, found)

    def worth(self, column: Column, pays: Pays) -> float:
        """Return what all its hands are worth, in wagers."""
        best = self.evaluated(column, pays).best
        lost = sum(share * best[row] for row, share in self.elsewhere.items())
        return self.scale * float(best[ROOT] - lost)

    def often(self, column: Column) -> Floats:
        """Return in how many orders of cards each row comes about, scaled."""
        actions = self.actions(column)
        found = np.zeros(len(self.outcomes))
        found[ROOT] = self.scale
        for rows in self.hands.layers:
            for row, share in self.elsewhere.items():
                if row in rows:
                    found[row] *= 1 - share
            hits = rows[actions[rows] == HIT]
            cards = self.hands.child[hits]
            np.add.at(found, cards, found[hits][:, None])
        return found[:-1]


def classes(hands: Hands) -> Ints:
    """Return the class of each row."""
    return 2 * hands.points + hands.soft


def unsplit(against: Against, split: frozenset[int] = frozenset()) -> Part:
    """Return the hands that are not split, when these pairs are."""
    hands = hands_from(UNSPLIT)
    elsewhere = {row_of_pair(UNSPLIT, rank): against.splittable(rank) for rank in split}
    return Part(hands, against.outcomes, against.may, 1.0, elsewhere)


def of_split(against: Against, rank: int) -> Iterator[Part]:
    """Yield the hands that come of splitting a pair, a part for each state."""
    pair = against.pairs[rank]
    row = row_of_pair(UNSPLIT, rank)
    often = float(against.outcomes[row].sum()) * against.splittable(rank)
    for state, count in pair.visits(pair.limit).items():
        weighed = pair.outcomes[state]
        scale = often * count / float(weighed[ROOT].sum())
        again = {pair.row: 1.0} if state.hands < pair.limit else {}
        yield Part(hands_from(rank), weighed, pair.may, scale, again)


def column_value(against: Against, column: Column, pays: Pays) -> float:
    """Return what a column is worth before the player's cards are known, in wagers."""
    played = _parts(against, column.split)
    total = sum(part.worth(column, pays) for part in played)
    return total - against.lost_to_naturals


def best_column(against: Against, start: Column, pays: Pays) -> Column:
    """Return the column that no change of a cell makes better."""
    column = start
    for _ in range(_ROUNDS):
        better = _better_cells(against, column, pays)
        better = better._replace(split=_better_splits(against, better, pays))
        if _same(better, column):
            return column
        column = better
    raise AssertionError("the cells of a chart settle")


def _parts(against: Against, split: frozenset[int]) -> list[Part]:
    found = [unsplit(against, split)]
    for rank in sorted(split):
        found.extend(of_split(against, rank))
    return found


def _same(one: Column, other: Column) -> bool:
    cells = zip(one[:2], other[:2], strict=True)
    return one.split == other.split and all(np.array_equal(*pair) for pair in cells)


def _better_splits(against: Against, column: Column, pays: Pays) -> frozenset[int]:
    """Return the pairs that had better be split when a column plays the hands."""
    whole = unsplit(against).evaluated(column, pays)
    found = set()
    for rank in against.pairs:
        worth = sum(part.worth(column, pays) for part in of_split(against, rank))
        kept = float(whole.best[row_of_pair(UNSPLIT, rank)])
        if worth > kept * against.splittable(rank):
            found.add(rank)
    return frozenset(found)


def _better_cells(against: Against, column: Column, pays: Pays) -> Column:
    """Choose each cell anew, all others as they are."""
    # Sums by class, of hands that take one card or none, and of those that double.
    stand, hit = np.zeros(CLASSES), np.zeros(CLASSES)
    stand_two, hit_two, twice = np.zeros(CLASSES), np.zeros(CLASSES), np.zeros(CLASSES)
    # A cell that no hand comes to is chosen for those that would, were nothing split.
    all_hands = replace(unsplit(against), scale=_NEGLIGIBLE)
    for part in (*_parts(against, column.split), all_hands):
        values = part.evaluated(column, pays)
        often, kind = part.often(column), classes(part.hands)
        decides = part.hands.size >= PAIR
        two = decides & (part.hands.size == PAIR) & part.may.double
        doubled = two & column.double[kind]

        if part.may.hit:
            alone = decides & ~doubled
            stand += _summed(kind, often, values.stand, alone)
            hit += _summed(kind, often, values.hit, alone)
        if part.may.double:
            stand_two += _summed(kind, often, values.stand, two)
            hit_two += _summed(kind, often, values.hit, two)
            twice += _summed(kind, often, values.double, two)
    nothing = (stand == 0) & (hit == 0)
    hits = np.where(nothing, hit_two > stand_two, hit > stand)
    doubles = twice > np.where(hits, hit_two, stand_two)
    top = slice(2 * BLACKJACK, None)
    hits[top] = doubles[top] = False
    return Column(hits, doubles, column.split)


def _summed(kind: Ints, often: Floats, found: Floats, where: Flags) -> Floats:
    """Return by class what some rows are worth together."""
    return np.bincount(kind[where], often[where] * found[:-1][where], CLASSES).astype(
        float
    )
