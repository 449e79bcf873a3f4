"""What is simulated, and taken up where an earlier run was stopped."""

import datetime as dt
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.progress import Progress

from service.analysis.picture import Point
from service.analysis.plays import pays_of
from service.analysis.report import dealers_play, figures_of
from service.analysis.simulation import BATCH, Run, tallies
from service.analysis.study import Study, moves_of
from service.analysis.tally import Mean, Tally
from service.rules.table import TableRules
from service.tablefile import parse_table, shipped_tables

STATE: Final = Path(".rtp")
SEED: Final = 20_250_101
"""A table's number is added, so that like tables do not play the same rounds."""
MOST_ERRORS: Final = 3
_SAVED_EVERY: Final = 20
_OTHERS: Final = 50


class Case(NamedTuple):
    """One simulation: a table, a strategy, a number of boxes, a wager, a shoe."""

    table_id: str
    strategy: str
    boxes: int
    rounds: int
    seed: int
    at_maximum: bool = False
    fresh: bool = True
    bonus: bool = False

    @property
    def name(self) -> str:
        """A name for its file and its line."""
        parts = [self.table_id, self.strategy, str(self.boxes)]
        parts += ["maximum"] * self.at_maximum + ["running"] * (not self.fresh)
        return "-".join(parts)

    def command(self, rounds: int) -> str:
        """Return the command that plays so many of these rounds, by hand."""
        text = f"upcard simulate {self.table_id} --strategy {self.strategy} "
        text += f"--boxes {self.boxes} --rounds {rounds} --seed {self.seed}"
        return text + " --running" * (not self.fresh) + " --bonus" * self.bonus


class Done(NamedTuple):
    """A case as far as it was played, and its exact figure."""

    case: Case
    tally: Tally
    points: list[Point]
    exact: float
    when: str

    @property
    def errors_away(self) -> float:
        """How many standard errors the simulation is from the exact figure."""
        mean = self.tally.mean
        return (mean.value - self.exact) / mean.error

    @property
    def is_outside(self) -> bool:
        """Whether it is further than it may be; a running shoe need not meet it."""
        return self.case.fresh and abs(self.errors_away) > MOST_ERRORS


def cases(tables: dict[str, TableRules], rounds: int) -> Iterator[Case]:
    """Yield what is simulated: ``rounds`` for charts in one box, a fiftieth for others.

    Whole batches are played.
    """
    few = -(-rounds // (_OTHERS * BATCH)) * BATCH
    rounds = -(-rounds // BATCH) * BATCH
    for table_id, table in tables.items():
        seed = SEED + int(table.number)
        bonus = table.bonus_pays is not None
        yield Case(table_id, "basic", 1, rounds, seed, bonus=bonus)
        for boxes in range(2, table.boxes + 1):
            yield Case(table_id, "basic", boxes, few, seed)
        yield Case(table_id, "optimal", 1, few, seed)
        yield Case(table_id, "mimic", 1, few, seed)
        if table.max_win is not None:
            yield Case(table_id, "basic", 1, few, seed, at_maximum=True)
            yield Case(table_id, "optimal", 1, few, seed, at_maximum=True)
        if table.cut_card is not None:
            yield Case(table_id, "basic", table.boxes, few * 2, seed, fresh=False)
            yield Case(table_id, "basic", 1, few * 2, seed, fresh=False)


class House:
    """The shipped tables, and their studies once they are needed."""

    def __init__(self) -> None:
        """Read the tables."""
        self.texts = {
            parse_table(text, name).table_id: text for name, text in shipped_tables()
        }
        self.tables = {
            table_id: parse_table(text, table_id)
            for table_id, text in self.texts.items()
        }
        self._studies: dict[str, Study] = {}
        self._figures: dict[str, dict[str, Any]] = {}
        self._runs: dict[Case, tuple[Run, float]] = {}

    def study(self, table_id: str) -> Study:
        """Return the study of a table, made once."""
        if table_id not in self._studies:
            self._studies[table_id] = Study(self.tables[table_id])
        return self._studies[table_id]

    def figures(self, table_id: str) -> dict[str, Any]:
        """Return the figures of a table, made once."""
        if table_id not in self._figures:
            self._figures[table_id] = figures_of(self.study(table_id))
        return self._figures[table_id]

    def run_of(self, case: Case) -> tuple[Run, float]:
        """Return a case's run, and the exact figure that it must meet; made once."""
        key = case._replace(rounds=0)
        if key not in self._runs:
            self._runs[key] = self._run_of(case)
        return self._runs[key]

    def _run_of(self, case: Case) -> tuple[Run, float]:
        table, study = self.tables[case.table_id], self.study(case.table_id)
        currency, limits = next(iter(table.limits.items()))
        wager = limits.maximum if case.at_maximum else limits.minimum
        pays = pays_of(table, Fraction(wager, limits.maximum))
        run = Run(
            self.texts[case.table_id],
            case.boxes,
            wager,
            currency,
            case.seed,
            None,
            fresh=case.fresh,
            bonus=case.bonus,
        )
        if case.strategy == "optimal":
            best = study.best(pays)
            return run._replace(moves=moves_of(best)), study.best_expectation(best)
        chart = dealers_play(table)
        if case.strategy == "basic":
            chart = study.best_chart(pays_of(table))
        return run._replace(chart=chart), study.expectation(chart, pays)


def played(house: House, case: Case, jobs: int, bar: Progress) -> Done:
    """Return a case, played to its end; what was played before is not played again."""
    run, exact = house.run_of(case)
    file = STATE / f"{case.name}.json"
    version = house.tables[case.table_id].version
    tally, when = Tally(run.wager, run.boxes), ""
    points: list[Point] = []
    if file.exists():
        saved = json.loads(file.read_text("utf-8"))
        if (saved["version"], saved["seed"]) == (version, case.seed):
            tally, when = Tally.from_json(saved["tally"]), saved["when"]
            points = [Point(n, Mean(*mean)) for n, mean in saved.get("points", [])]
    task = bar.add_task(case.name, total=case.rounds, completed=tally.rounds)
    first, left = divmod(tally.rounds, BATCH)
    missing = max(case.rounds - tally.rounds, 0)
    assert not left or not missing, "whole batches are kept"
    more = tallies(run, missing, jobs, first)
    for number, found in enumerate(more, 1):
        tally.plus(found)
        bar.update(task, completed=tally.rounds)
        if number % _SAVED_EVERY == 0 or tally.rounds == case.rounds:
            when = f"{dt.datetime.now(dt.UTC):%Y-%m-%d}"
            points.append(Point(tally.rounds, tally.mean))
            saved = {"version": version, "seed": case.seed, "when": when}
            saved |= {"tally": tally.as_json(), "points": points}
            STATE.mkdir(exist_ok=True)
            file.write_text(json.dumps(saved), "utf-8")
    bar.remove_task(task)
    return Done(case, tally, points, exact, when)
