"""How likely each hand of the player is together with each end of the dealer's.

Nothing is conditioned step by step. A row's weight is the chance that the player
draws its cards in one given order, that the hole card is none that the peek excludes,
and that the dealer then ends so: a product of falling factorials, since cards yet
unseen are exchangeable. All actions on a hand compare at the same weight, so values
need no division until the end, and the peek needs no correction at all.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

import numpy as np

from service.analysis.hands import OUTCOMES, Finals, Floats, Ints, hands_from
from service.analysis.ranks import RANKS, Counts
from service.rules.cards import BLACKJACK, TEN

IMPOSSIBLE: Final = -1e6
"""Stands for the logarithm of nothing: finite, as it is multiplied by zeros."""

_ROWS: Final = 256
_SIDE: Final = 2 * BLACKJACK + 1
_HALVES: Final = ([0, 1], list(range(2, TEN)))
"""Aces and twos, and all other ranks: hands hold each in few ways."""


def weights(base: int | None, shoe: Counts, finals: Finals) -> Floats:
    """Return each row's weight with each of the dealer's outcomes.

    ``shoe`` is what is left without the upcard and the cards that the player's hands
    began with; rows are those of ``hands_from(base)`` and a last one of zeros. Divided
    by the sum of row 0 a weight is a chance that is conditioned on the peek.
    """
    (found,) = weights_knowing(base, shoe, finals, [0])
    return found


def weights_knowing(
    base: int | None, shoe: Counts, finals: Finals, others: Sequence[int]
) -> list[Floats]:
    """Return the weights when so many unseen cards are known to be none of the base.

    They are the second cards of hands of a split that did not split again.
    """
    hands = hands_from(base)
    rank = (base or RANKS[0]) - 1
    ends = _ends(finals, rank)
    low, high = _falling(base, shoe, ends.finals)
    common = [_common_terms(shoe, rank, count) for count in others]
    found = [np.zeros((len(hands.hands) + 1, len(OUTCOMES))) for _ in others]
    for start in range(0, len(hands.hands), _ROWS):
        part = slice(start, min(start + _ROWS, len(hands.hands)))
        drawn = hands.drawn[part]
        falling = low.terms[low.row[part]] * high.terms[high.row[part]]
        alike = np.add.reduceat(falling, ends.starts, axis=1)
        place = (drawn.sum(axis=1) * _SIDE + drawn[:, rank])[:, None] + ends.place
        for table, weight in zip(common, found, strict=True):
            weight[part] = (alike * table[place]) @ ends.outcomes
    return found


class _Ends(NamedTuple):
    """The dealer's final hands, those together that share all but their ranks.

    Of each kind: where it starts, its place among the common terms, its outcome.
    """

    finals: Finals
    starts: Ints
    place: Ints
    outcomes: Floats


class _Half(NamedTuple):
    """Falling factorials over some ranks: by what hands hold of them, and final."""

    row: Ints
    terms: Floats


def _ends(finals: Finals, rank: int) -> _Ends:
    place = finals.drawn.sum(axis=1) * _SIDE + finals.drawn[:, rank]
    kind = place * len(OUTCOMES) + finals.outcome
    order = np.argsort(kind, kind="stable")
    kinds, starts = np.unique(kind[order], return_index=True)
    outcomes = np.zeros((len(kinds), len(OUTCOMES)))
    outcomes[np.arange(len(kinds)), kinds % len(OUTCOMES)] = 1
    drawn, orders, outcome = finals
    ordered = Finals(drawn[order], orders[order], outcome[order])
    return _Ends(ordered, starts, kinds // len(OUTCOMES), outcomes)


def _falling(base: int | None, shoe: Counts, finals: Finals) -> tuple[_Half, _Half]:
    """Return the falling factorials of each hand with each final, as two factors.

    What hands hold of few ranks repeats from hand to hand: so few exponentials do.
    """
    logs = _rank_terms(shoe, finals)
    halves = []
    for ranks, (held, row) in zip(_HALVES, _halves(base), strict=True):
        summed = sum(logs[rank][held[:, at]] for at, rank in enumerate(ranks))
        halves.append(_Half(row, np.exp(summed)))
    low, high = halves
    return low, high._replace(terms=high.terms * finals.orders)


@cache
def _halves(base: int | None) -> tuple[tuple[Ints, Ints], ...]:
    """Return what hands hold of each half of the ranks, and which of it each holds."""
    drawn = hands_from(base).drawn
    return tuple(
        np.unique(drawn[:, ranks], axis=0, return_inverse=True) for ranks in _HALVES
    )


def _rank_terms(shoe: Counts, finals: Finals) -> list[Floats]:
    """Return log falling(shoe, player's + dealer's) by rank and count, and final."""
    terms = []
    for rank, held in zip(RANKS, shoe, strict=True):
        count = np.arange(BLACKJACK // rank + 1)
        dealt = finals.drawn[:, rank - 1]
        logs = _log_falling(held, int(count[-1] + dealt.max()))
        terms.append(logs[count[:, None] + dealt])
    return terms


def _common_terms(shoe: Counts, rank: int, others: int) -> Floats:
    """Return by cards drawn, and drawn of one rank, what all hands share.

    The cards' order is one of falling(cards, drawn); and of what is left, the known
    others are none of the rank.
    """
    cards, same = sum(shoe), shoe[rank]
    whole = _log_falling(cards, _SIDE + others)
    found = np.full((_SIDE, _SIDE), IMPOSSIBLE)
    for drawn in range(min(cards - others, _SIDE - 1) + 1):
        for of_rank in range(min(drawn, same) + 1):
            rest = max(cards - drawn - (same - of_rank), 0)
            left = _log_falling(rest, others)[others]
            found[drawn, of_rank] = left - whole[drawn + others]
    table: Floats = np.exp(found).ravel()
    return table


@lru_cache(maxsize=4096)
def _log_falling(held: int, most: int) -> Floats:
    """Return log(held (held - 1) ...) of 0 to ``most`` factors."""
    factors = held - np.arange(most)
    logs = np.where(factors > 0, np.log(np.maximum(factors, 1)), IMPOSSIBLE)
    return np.concatenate(([0.0], np.cumsum(logs)))
