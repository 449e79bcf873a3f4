"""A changed rule changes the figures in the direction that everybody knows."""

from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from service.analysis.plays import pays_of
from service.analysis.report import dealers_play, figures_of
from service.analysis.study import Study
from service.figures import Figures, written
from service.rules.table import MaxWin, Ratio, TableRules
from tests.rules.tables import CLASSIC, TABLES, varied

UNSPLIT = {"split_hands": 1}
"""Quick to study: no pair splits. For rules that have nothing to do with splits."""
SPLIT: dict[str, Any] = {}


@cache
def studied(**settings: Any) -> Study:  # noqa: ANN401 - any setting
    return Study(varied(CLASSIC, max_win=None, boxes=1, **settings))


def expectation(settings: dict[str, Any]) -> float:
    # What a natural pays is in no weight, so it needs no study of its own.
    pays = pays_of(varied(CLASSIC, max_win=None, boxes=1, **settings))
    weighed = {name: settings[name] for name in settings if name != "natural_pays"}
    study = studied(**weighed)
    return study.expectation(study.best_chart(pays), pays)


@pytest.mark.parametrize(
    ("table", "changed", "then"),
    [
        (UNSPLIT, {"soft_17": "hit"}, "worse"),
        (UNSPLIT, {"decks": 1}, "better"),
        (UNSPLIT, {"decks": 8}, "worse"),
        (UNSPLIT, {"natural_pays": Ratio(6, 5)}, "worse"),
        (SPLIT, UNSPLIT, "worse"),
        (SPLIT, {"double_after_split": False}, "worse"),
        (SPLIT, {"split_hands": 3}, "better"),
        (SPLIT, {"split_aces_hit": True}, "better"),
    ],
    ids=str,
)
def test_a_rule_helps_or_hurts_the_player(
    table: dict[str, Any], changed: dict[str, Any], then: str
) -> None:
    before, after = expectation(table), expectation(table | changed)
    assert before != after
    assert then == ("better" if after > before else "worse")


def test_a_cap_costs_and_best_play_gives_less_away() -> None:
    figures = Figures().of(CLASSIC.version)
    assert figures is not None
    cost, capped = figures["max_win"]["cost"], figures["max_win"]["at_maximum_wager"]
    assert 0 < cost["optimal"] < cost["basic"]
    assert capped["optimal"] > capped["basic"]
    wide = varied(CLASSIC, max_win=MaxWin(Ratio(4, 1), "hand"))
    assert pays_of(wide, Fraction(1)) == pays_of(wide)


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_the_figures_beside_a_table_are_its_own(table: TableRules) -> None:
    figures = Figures().of(table.version)
    assert figures is not None
    assert figures == figures_of(Study(table))
    expectation_of = figures["expectation"]
    assert expectation_of["mimic"] < expectation_of["basic"] < expectation_of["optimal"]
    assert written(figures).endswith("}\n")
    assert dealers_play(table).hard[16] == ("H",) * 10
