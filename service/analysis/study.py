"""A table under study: its weights against each upcard, made once and used often."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from service.analysis.chart import Chart, mimic
from service.analysis.charts import chart_of, columns_of
from service.analysis.hands import hands_from
from service.analysis.optimum import best_column, column_value
from service.analysis.players import Situation
from service.analysis.plays import DOUBLE, HIT, STAND, Pays
from service.analysis.ranks import RANKS, Counts
from service.analysis.upcards import UNSPLIT, Against, Best
from service.rules.cards import PAIR
from service.rules.legal import Action
from service.rules.table import TableRules

_MOVES: Final[Mapping[int, Action]] = {STAND: "stand", HIT: "hit", DOUBLE: "double"}


class Study:
    """All upcards of a table; ``progress`` hears what part of the weights is made."""

    def __init__(
        self,
        table: TableRules,
        progress: Callable[[float], None] = lambda _: None,
        shoe: Counts | None = None,
    ) -> None:
        """Make the weights: one second of work, or six where pairs split again.

        ``shoe`` is the whole shoe, where it is not the table's own.
        """
        self.table = table
        self.against: dict[int, Against] = {}
        upcards = [rank for rank in RANKS if shoe is None or shoe[rank - 1]]
        for done, upcard in enumerate(upcards, 1):
            against = Against(table, upcard, shoe)
            self.against[upcard] = against
            assert against.pairs is not None, "the pairs are weighed now"
            progress(done / len(upcards))

    def best(self, pays: Pays) -> dict[int, Best]:
        """Return best play against each upcard."""
        return {upcard: each.best(pays) for upcard, each in self.against.items()}

    def best_chart(self, pays: Pays) -> Chart:
        """Return the best play that looks at totals only."""
        start = columns_of(mimic(hits_soft_17=self.table.soft_17 == "hit"))
        better = {
            upcard: best_column(each, start[upcard], pays)
            for upcard, each in self.against.items()
        }
        return chart_of({**start, **better})

    def expectation(self, chart: Chart, pays: Pays) -> float:
        """Return what an initial wager wins on average under a chart, uninsured."""
        columns = columns_of(chart)
        return self._mean(
            column_value(each, columns[upcard], pays)
            for upcard, each in self.against.items()
        )

    def best_expectation(self, best: Mapping[int, Best]) -> float:
        """Return what an initial wager wins on average under best play, uninsured."""
        return self._mean(each.value for each in best.values())

    def _mean(self, values: Iterator[float]) -> float:
        pairs = zip(self.against.values(), values, strict=True)
        return sum(float(each.chance) * value for each, value in pairs)


def moves_of(best: Mapping[int, Best]) -> dict[Situation, Action]:
    """Return best play as a move for every situation."""
    found = dict[Situation, Action]()
    for upcard, each in best.items():
        for hand, action in zip(
            hands_from(UNSPLIT).hands, each.values.action, strict=False
        ):
            cards, move = cards_of(hand), _MOVES[int(action)]
            splits = _is_pair(cards) and cards[0] in each.split
            found[Situation(upcard, 0, 0, cards)] = move
            found[Situation(upcard, 1, 0, cards)] = "split" if splits else move
        for rank in each.split:
            worth = each.splits[rank]
            for hands, actions in worth.actions.items():
                for hand, action in zip(hands_from(rank).hands, actions, strict=False):
                    cards = cards_of(hand)
                    again = _is_pair(cards) and hands < worth.limit
                    move = "split" if again else _MOVES[int(action)]
                    found[Situation(upcard, hands, rank, cards)] = move
    return found


def cards_of(hand: Counts) -> tuple[int, ...]:
    """Return a hand's cards in rising order, by points."""
    return tuple(rank for rank in RANKS for _ in range(hand[rank - 1]))


def _is_pair(cards: tuple[int, ...]) -> bool:
    return len(cards) == PAIR and cards[0] == cards[1]
