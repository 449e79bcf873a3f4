"""A table's fresh shoe against one upcard: what best play is worth."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

from service.analysis.hands import finals_from, hands_from, hidden_never
from service.analysis.plays import Pays, Values, best_of, may_of, value
from service.analysis.ranks import ACE, RANKS, Counts, full_shoe, without
from service.analysis.splits import ROOT, Pair, SplitWorth, pair_of, row_of_pair
from service.analysis.weights import weights
from service.rules.cards import PAIR, TEN
from service.rules.table import TableRules

UNSPLIT: Final = None


class Best(NamedTuple):
    """Best play against an upcard: in wagers, before the player's cards are known.

    ``splits`` holds every pair, split or not; ``split`` those that best play splits.
    """

    value: float
    values: Values
    splits: Mapping[int, SplitWorth]
    split: frozenset[int]


class Against:
    """One upcard at a table: the weights of all hands, made once and used often."""

    def __init__(
        self, table: TableRules, upcard: int, shoe: Counts | None = None
    ) -> None:
        """Weigh the unsplit hands; pairs are weighed when they are asked for.

        ``shoe`` is the whole shoe, where it is not the table's own.
        """
        whole = shoe or full_shoe(table.decks)
        self.table = table
        self.upcard = upcard
        self.chance = Fraction(whole[upcard - 1], sum(whole))
        self.shoe = without(whole, upcard)
        self.may = may_of(table, UNSPLIT)
        self._finals = finals_from(upcard, table)
        self.outcomes = weights(UNSPLIT, self.shoe, self._finals)

    @cached_property
    def pairs(self) -> Mapping[int, Pair]:
        """Every pair that can be split, by rank, with its weights."""
        shoe = self.shoe
        if self.table.split_hands < PAIR:
            return {}
        return {rank: self.pair(rank) for rank in RANKS if shoe[rank - 1] >= PAIR}

    def pair(self, rank: int, *, first_only: bool = False) -> Pair:
        """Return a pair with its weights; of the first hand of each number if asked."""
        may = may_of(self.table, rank)
        return pair_of(
            self.table, rank, self.shoe, self._finals, may, first_only=first_only
        )

    def splittable(self, rank: int) -> float:
        """Return the part of the pairs of a rank that may be split.

        Of two tens, four ranks alike, where only like ranks split.
        """
        if rank == TEN and self.table.split_on == "rank":
            each = full_shoe(self.table.decks)[0]
            return (each - 1) / (4 * each - 1)
        return 1.0

    def best(self, pays: Pays) -> Best:
        """Return best play and its value, with what a dealer natural costs."""
        hands = hands_from(UNSPLIT)
        values = value(hands, self.outcomes, pays, self.may, best_of)
        total = float(values.best[ROOT]) - self.lost_to_naturals
        splits = {rank: pair.best(pays) for rank, pair in self.pairs.items()}
        split = set()
        for rank, worth in splits.items():
            row = row_of_pair(UNSPLIT, rank)
            gain = float(worth.value * values.mass[row] - values.best[row])
            if gain > 0:
                split.add(rank)
                total += gain * self.splittable(rank)
        return Best(total, values, splits, frozenset(split))

    @property
    def lost_to_naturals(self) -> float:
        """What dealer naturals cost under this upcard: all but the pushes."""
        hole = hidden_never(self.upcard)
        if hole is None:
            return 0.0
        natural = Fraction(self.shoe[hole - 1], sum(self.shoe))
        left = without(self.shoe, hole)
        cards = sum(left)
        pushed = Fraction(2 * left[ACE - 1] * left[TEN - 1], cards * (cards - 1))
        return float(natural * (1 - pushed))
