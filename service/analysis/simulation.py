"""Rounds by the thousand through the real rules, in batches that can be repeated.

Each batch has a seed of its own, made of the run's seed and its number: so the same
rounds come of one job or of many, and a run can be taken up where it was left.
"""

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final, NamedTuple

from service.analysis.chart import Chart
from service.analysis.players import Player, Situation, by_chart, by_moves
from service.analysis.shoes import LazyShoe
from service.analysis.tally import Tally
from service.chance import seeded_for_simulation
from service.rules.cards import Shoe
from service.rules.commands import Act, BoxWager, Deal, Insure
from service.rules.decide import decide_and_fold
from service.rules.legal import Action
from service.rules.round import Round
from service.rules.table import TableRules
from service.tablefile import parse_table

BATCH: Final = 5_000
"""Rounds of a batch: under a second, so that a bar moves and little is lost."""

_AT: Final = 0


class Run(NamedTuple):
    """What is simulated: enough to do it again, and to send to another process.

    ``fresh`` shuffles before each round also where the table has a running shoe.
    ``moves`` are best play's; a chart plays where there are none.
    """

    table: str
    boxes: int
    wager: int
    currency: str
    seed: int
    chart: Chart | None
    moves: Mapping[Situation, Action] | None = None
    fresh: bool = True
    bonus: bool = False


def tallies(run: Run, rounds: int, jobs: int, first: int = 0) -> Iterator[Tally]:
    """Yield what came of each batch, in order; the last may be a shorter one.

    ``first`` is the number of the first batch.
    """
    sizes = [min(BATCH, rounds - done) for done in range(0, rounds, BATCH)]
    tasks = [(number, size) for number, size in enumerate(sizes, first)]
    if jobs == 1:
        simulator = _Simulator(run)
        for task in tasks:
            yield simulator.batch(*task)
        return
    # Whoever calls this may have threads, and a fork of threads may hang.
    new = get_context("spawn")
    with ProcessPoolExecutor(jobs, new, initializer=_begin, initargs=(run,)) as pool:
        yield from pool.map(_batch, tasks)


def play_round(deal: Deal, shoe: Shoe, player: Player) -> Round:
    """Return a round, played to its end and not insured."""
    _, round_ = decide_and_fold(None, deal, shoe)
    if round_.status == "insurance":
        for name in dict.fromkeys(box.player for box in round_.boxes):
            _, round_ = decide_and_fold(round_, Insure(name, (), _AT), shoe)
    names = {box.box: box.player for box in round_.boxes}
    while (hand := round_.active_hand) is not None:
        action = player(round_, hand)
        act = Act(names[hand.box], hand.name, action, _AT)
        _, round_ = decide_and_fold(round_, act, shoe)
    return round_


class _Simulator:
    """One process's share of a run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.table = parse_table(run.table, "table")
        if run.moves is not None:
            self.player = by_moves(run.moves)
        else:
            assert run.chart is not None, "somebody plays"
            self.player = by_chart(run.chart)

    def batch(self, number: int, rounds: int) -> Tally:
        run, table = self.run, self.table
        shoe = LazyShoe(table.decks, seeded_for_simulation(f"{run.seed}/{number}"))
        tally = Tally(run.wager, run.boxes)
        bets = _bets(run, table)
        started = time.process_time()
        place = 0
        for _ in range(rounds):
            deal = _deal(table, run.currency, bets, place)
            round_ = play_round(deal, shoe, self.player)
            tally.add(round_)
            place = round_.next_place
            if run.fresh or table.shoe_is_finished(place):
                shoe.shuffle()
                place = 0
        tally.seconds = time.process_time() - started
        return tally


def _bets(run: Run, table: TableRules) -> tuple[BoxWager, ...]:
    """Return each round's bets; a shared table wants a player for each box."""
    bonus = (table.limits[run.currency].bonus_wager or 0) if run.bonus else 0
    return tuple(
        BoxWager(box, f"p{box}", run.wager, bonus) for box in range(1, run.boxes + 1)
    )


def _deal(
    table: TableRules, currency: str, bets: tuple[BoxWager, ...], place: int
) -> Deal:
    return Deal(
        table=table,
        currency=currency,
        boxes=bets,
        raise_to_minimum=False,
        at=_AT,
        shoe_id="",
        first_place=place,
        shuffler="simulation",
        commitment="",
    )


_here: list[_Simulator] = []


def _begin(run: Run) -> None:
    """Make this process's simulator, once."""
    _here[:] = [_Simulator(run)]


def _batch(task: tuple[int, int]) -> Tally:
    return _here[0].batch(*task)
