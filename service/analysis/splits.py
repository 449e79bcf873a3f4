"""What a split is worth, to the last card.

Each hand of a split is worth the same as if it were played next: the cards that other
hands take in between are unseen cards like all others (optional skipping: Kallenberg,
Probabilistic Symmetries and Invariance Principles, 2005, chapter 4), and so the sum
over the hands needs no other hand's cards. What a hand does know is how often the pair
has split: each time one more card of its rank is gone, and each hand played before,
while it could still have split, has a second card that is none of it. The weights hold
both exactly.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from service.analysis.hands import EMPTY, Finals, Floats, Ints, hands_from, plus
from service.analysis.plays import Choose, May, Pays, Values, best_of, given, value
from service.analysis.ranks import ACE, Counts, without
from service.analysis.weights import weights_knowing
from service.rules.cards import PAIR, TEN
from service.rules.table import TableRules

ROOT = 0


class State(NamedTuple):
    """Of one box: how many hands it has, how many of them are played already."""

    hands: int
    played: int


class SplitWorth(NamedTuple):
    """What a split is worth in wagers, and how it is played.

    Pairs split again up to ``limit`` hands; ``actions`` are by the number of hands,
    for the rows of ``hands_from`` the pair's rank.
    """

    value: float
    limit: int
    actions: Mapping[int, Ints]


@dataclass(frozen=True)
class Pair:
    """A pair against an upcard: the weights of every hand of it, made once."""

    rank: int
    may: May
    limit: int
    outcomes: Mapping[State, Floats]

    @property
    def row(self) -> int:
        """The row of the pair itself among the hands of a split."""
        return row_of_pair(self.rank, self.rank)

    def visits(self, limit: int) -> dict[State, float]:
        """Return how many hands are played in each state, on average.

        Below the limit a hand whose second card makes a pair is not played there.
        """
        reached = {State(PAIR, 0): 1.0}
        found: dict[State, float] = {}
        for state in states(limit):
            chance = reached.get(state, 0.0)
            if not chance:
                continue
            mass = self.outcomes[state].sum(axis=1)
            if not mass[ROOT]:
                continue  # of what is left, all make the dealer a natural
            if state.hands == limit:
                found[state] = chance * (state.hands - state.played)
                continue
            found[state] = chance
            again = float(mass[self.row] / mass[ROOT])
            for then, part in (
                (State(state.hands + 1, state.played), again),
                (State(state.hands, state.played + 1), 1 - again),
            ):
                reached[then] = reached.get(then, 0.0) + chance * part
        return found

    def worth(self, played: Mapping[State, Values], limit: int) -> SplitWorth:
        """Return what given play is worth; ``played`` has the values it gives."""
        total = 0.0
        actions = {}
        for state, count in self.visits(limit).items():
            actions[state.hands] = played[state].action
            total += count * self.mean(played[state], again=state.hands < limit)
        return SplitWorth(total, limit, actions)

    def best(self, pays: Pays) -> SplitWorth:
        """Return best play: by own cards, upcard and number of hands."""
        played = dict[State, Values]()
        for state in self.outcomes:
            first = played.get(State(state.hands, 0))
            choose = given(first.action) if first else best_of
            played[state] = self.values(state, pays, choose)
        found = [self.worth(played, limit) for limit in range(PAIR, self.limit + 1)]
        return max(found, key=lambda worth: worth.value)

    def values(self, state: State, pays: Pays, choose: Choose) -> Values:
        """Return the values of a hand that is played in a state."""
        outcomes = self.outcomes[state]
        return value(hands_from(self.rank), outcomes, pays, self.may, choose)

    def mean(self, values: Values, *, again: bool) -> float:
        """Return what a hand is worth before its second card, in wagers.

        With ``again`` a second card that makes a pair counts nothing: it splits.
        """
        found = values.best[ROOT] - (values.best[self.row] if again else 0)
        return float(found / values.mass[ROOT])


def pair_of(  # noqa: PLR0913 - a pair is made in one place
    table: TableRules,
    rank: int,
    shoe: Counts,
    finals: Finals,
    may: May,
    *,
    first_only: bool = False,
) -> Pair:
    """Return a pair with its weights; ``shoe`` holds the pair, not the upcard.

    With ``first_only`` those states are left out in which a hand is played already.
    """
    limit = min(most_hands(table, rank), shoe[rank - 1])
    outcomes: dict[State, Floats] = {}
    for hands in range(PAIR, limit + 1):
        left = without(shoe, rank, hands)
        found = [state for state in states(limit) if state.hands == hands]
        found = found[:1] if first_only else found
        played = [state.played for state in found]
        weighed = weights_knowing(rank, left, finals, played)
        outcomes.update(zip(found, weighed, strict=True))
    return Pair(rank, may, limit, outcomes)


def most_hands(table: TableRules, rank: int) -> int:
    """Return to how many hands a pair of a rank can split at a table.

    Where only like ranks split, tens are split once here: which tens are left is more
    than ten ranks tell. To split them again is a loss at every such table.
    """
    once = rank == ACE and not table.split_aces_resplit
    if once or (rank == TEN and table.split_on == "rank"):
        return min(table.split_hands, PAIR)
    return table.split_hands


def states(limit: int) -> Iterator[State]:
    """Yield every state in which a hand is played, later ones later.

    >>> [tuple(state) for state in states(3)]
    [(2, 0), (2, 1), (3, 0), (3, 1)]
    """
    for hands in range(PAIR, limit + 1):
        for played in range(hands if hands < limit else hands - 1):
            yield State(hands, played)


def row_of_pair(base: int | None, rank: int) -> int:
    """Return the row of a pair among the hands of a base."""
    return hands_from(base).row[plus(plus(EMPTY, rank), rank)]
