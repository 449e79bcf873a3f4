"""The speed of a simulation beside another engine's, in the same run.

blackjack21 is no dependency: `pip install blackjack21` puts it beside. It plays the
same charts on six decks; it has no insurance, no peek, no wagers to check, and keeps
no record of what happened.
"""

import cProfile
import importlib
import time
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

from service.analysis.chart import Chart
from service.analysis.plays import pays_of
from service.analysis.simulation import BATCH, Run, tallies
from service.chance import seeded_for_simulation
from tests.rtp.cases import SEED, Case, House

_TURNS: Final = 20
TABLE: Final = "classic-three"
_DECKS: Final = 6
_LEAST: Final = 20
_REST: Final = "what Python does for all of them: making tuples, comparing types"
_PARTS: Final = {
    "fold": "recording events: `evolve`",
    "round": "how a round stands",
    "decide": "deciding what happens: `decide`",
    "betting": "checking the wagers",
    "legal": "what is legal",
    "settle": "results and payouts",
    "cards": "totals of hands",
    "shoes": "shuffling and drawing",
    "simulation": "commands, and the player's loop",
    "players": "looking up the charts",
    "tally": "counting what was won",
}


class Speed(NamedTuple):
    """Rounds a CPU second: ours, and the other engine's if it is installed."""

    ours: float
    other: float | None
    """With its own shoe, shuffled anew for each round."""
    other_lazy: float | None
    """With our shoe, which is shuffled only as far as it is dealt."""
    version: str
    shares: Sequence[tuple[str, float]]
    """What part of our time goes where, the largest first."""


def beside_another(house: House) -> Speed:
    """Measure both, one after the other in turns, and keep the best turn of each.

    Turns are short and many, since what else the machine does slows some of them.
    """
    case = Case(TABLE, "basic", 1, BATCH, SEED)
    run, _ = house.run_of(case)
    chart = house.study(TABLE).best_chart(pays_of(house.tables[TABLE]))
    try:
        engine: ModuleType | None = importlib.import_module("blackjack21")
    except ModuleNotFoundError:
        engine = None
    ours, other, lazy = [], [], []
    for turn in range(_TURNS):
        (done,) = tallies(run, BATCH, 1, first=turn)
        ours.append(done.rounds / done.seconds)
        if engine is not None:
            other.append(_played(engine, chart, lazy=False))
            lazy.append(_played(engine, chart, lazy=True))
    version = getattr(engine, "__version__", "5.0.0") if engine else ""
    return Speed(
        max(ours),
        max(other, default=None),
        max(lazy, default=None),
        version,
        _shares(run),
    )


def _shares(run: Run) -> list[tuple[str, float]]:
    profile = cProfile.Profile()
    profile.enable()
    list(tallies(run, BATCH, 1))
    profile.disable()
    found = dict.fromkeys((*_PARTS.values(), _REST), 0.0)
    for entry in profile.getstats():
        file = "" if isinstance(entry.code, str) else Path(entry.code.co_filename).stem
        found[_PARTS.get(file, _REST)] += entry.inlinetime
    whole = sum(found.values())
    return sorted(
        ((part, own / whole) for part, own in found.items()),
        key=itemgetter(1),
        reverse=True,
    )


class _Source:
    """A fresh shoe for each round, for an engine that draws cards one by one."""

    def __init__(self, cards: list[Any]) -> None:
        self._cards = cards
        self._draw = seeded_for_simulation("beside")
        self._known = 0

    def draw_card(self) -> Any:  # noqa: ANN401 - the other engine's card
        cards, known = self._cards, self._known
        place = known + int(self._draw() * (len(cards) - known))
        cards[known], cards[place] = cards[place], cards[known]
        self._known = known + 1
        return cards[known]

    def shuffle(self) -> None:
        self._known = 0

    def __len__(self) -> int:
        return len(self._cards) - self._known


def _played(engine: ModuleType, chart: Chart, *, lazy: bool) -> float:
    deck = engine.Deck(("S", "H", "D", "C"), count=_DECKS)
    source = _Source(list(deck)) if lazy else deck
    again = source.shuffle if lazy else deck.reset
    table = engine.Table([("p", 100)], source, on_round_reset=again)
    moves = {
        "hit": table.hit,
        "stand": table.stand,
        "double": table.double_down,
        "split": table.split,
    }
    started = time.process_time()
    for _ in range(BATCH):
        table.start_game()
        upcard = _points(table.dealer.hand[0])
        while (hand := table.current_hand) is not None:
            values = [_points(card) for card in hand]
            low = sum(values)
            soft = 1 in values and low + 10 < _LEAST + 2
            two = len(values) == 2
            splits = two and values[0] == values[1] and len(table.players[0].hands) == 1
            move = chart.move(
                low + 10 * soft,
                upcard,
                soft=soft,
                pair=values[0] if splits else None,
                double=two,
            )
            moves[move]()
    return BATCH / (time.process_time() - started)


def _points(card: Any) -> int:  # noqa: ANN401 - the other engine's card
    return 1 if card.rank == "A" else min(int(card.value), 10)
