"""Who plays in a simulation: by a chart, or best by every card of the own hand."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from service.analysis.chart import Chart
from service.analysis.ranks import RANKS
from service.rules.cards import PAIR, POINTS
from service.rules.legal import Action, why_not
from service.rules.round import Hand, Round

Player = Callable[[Round, Hand], Action]


def by_chart(chart: Chart) -> Player:
    """Return a player who plays by a chart, as far as the table lets him."""
    table = {
        (points, soft, upcard, pair, double): chart.move(
            points, upcard, soft=soft, pair=pair, double=double
        )
        for soft, rows in ((False, chart.hard), (True, chart.soft))
        for points in rows
        for upcard in RANKS
        for pair in (None, *RANKS)
        for double in (True, False)
    }

    def play(round_: Round, hand: Hand) -> Action:
        first = hand.cards[0]
        pair, double = None, False
        if len(hand.cards) == PAIR:
            if POINTS[first] == POINTS[hand.cards[1]]:
                splits = why_not(round_, hand, "split") is None
                pair = POINTS[first] if splits else None
            double = why_not(round_, hand, "double") is None
        points, soft = hand.total
        move = table[points, soft, POINTS[round_.dealer[0]], pair, double]
        if move == "hit" and why_not(round_, hand, "hit"):
            return "stand"
        return move

    return play


class Situation(NamedTuple):
    """What best play looks at: the upcard, the own cards, and how the box has split.

    ``cards`` are points in rising order. A box that has not split has one hand and is
    split of nothing, 0; else of the rank of its pair.
    """

    upcard: int
    hands: int
    of: int
    cards: tuple[int, ...]


def by_moves(moves: Mapping[Situation, Action]) -> Player:
    """Return a player who knows a move for every situation that he can come to.

    The move of a pair that this table does not split stands under no hands at all.
    """

    def play(round_: Round, hand: Hand) -> Action:
        hands = sum(other.box == hand.box for other in round_.hands)
        upcard = POINTS[round_.dealer[0]]
        of = 0 if hand.split == "no" else POINTS[hand.cards[0]]
        cards = tuple(sorted(POINTS[card] for card in hand.cards))
        move = moves[Situation(upcard, hands, of, cards)]
        if move == "split" and why_not(round_, hand, "split"):
            return moves[Situation(upcard, 0, of, cards)]
        return move

    return play
