"""The exact figure of any play is what all orders of a small shoe come to."""

import pytest

from service.analysis.chart import mimic
from service.analysis.players import by_chart, by_moves
from service.analysis.plays import pays_of
from service.analysis.ranks import LABELS, Counts
from service.analysis.report import dealers_play
from service.analysis.study import Study, moves_of
from service.rules.table import TableRules
from tests.analysis.counting import counted
from tests.rules.tables import AMERICAN, CLASSIC, varied

MIXED = {"A": 1, "6": 2, "8": 2, "T": 4}
ACES = {"A": 4, "T": 12}
EIGHTS = {"8": 4, "T": 11, "3": 1}
NINES = {"9": 5, "T": 10}
TENS = {"2": 2, "T": 6, "A": 1}
NO_DOUBLE = {"double_after_split": False, "split_aces_double": False}
CASES = [
    (CLASSIC, MIXED),
    (AMERICAN, EIGHTS),
    (varied(AMERICAN, split_21="natural"), ACES),
    (varied(AMERICAN, split_hands=3, **NO_DOUBLE), NINES),
    (varied(CLASSIC, soft_17="hit"), TENS),
]


def study_of(table: TableRules, shoe: dict[str, int]) -> Study:
    counts: Counts = tuple(shoe.get(label, 0) for label in LABELS.values())
    return Study(table, shoe=counts)


@pytest.mark.parametrize(("table", "shoe"), CASES)
def test_a_chart_is_worth_what_all_orders_of_the_shoe_say(
    table: TableRules, shoe: dict[str, int]
) -> None:
    study, pays = study_of(table, shoe), pays_of(table)
    chart = study.best_chart(pays)
    expected = counted(table, shoe, by_chart(chart))
    assert study.expectation(chart, pays) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize(("table", "shoe"), CASES)
def test_best_play_is_worth_what_all_orders_of_the_shoe_say(
    table: TableRules, shoe: dict[str, int]
) -> None:
    study, pays = study_of(table, shoe), pays_of(table)
    best = study.best(pays)
    worth = study.best_expectation(best)
    expected = counted(table, shoe, by_moves(moves_of(best)))
    assert worth == pytest.approx(float(expected), abs=1e-12)
    assert worth >= study.expectation(study.best_chart(pays), pays) - 1e-12


def test_the_dealers_play_is_worth_what_all_orders_say() -> None:
    table = varied(CLASSIC, soft_17="hit")
    study, chart = study_of(table, MIXED), dealers_play(table)
    assert chart == mimic(hits_soft_17=True)
    expected = counted(table, MIXED, by_chart(chart))
    found = study.expectation(chart, pays_of(table))
    assert found == pytest.approx(float(expected), abs=1e-12)
