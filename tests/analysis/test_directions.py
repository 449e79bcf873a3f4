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


@cache
def expectation(**settings: Any) -> float:  # noqa: ANN401 - any setting
    table = varied(CLASSIC, max_win=None, **settings)
    study, pays = Study(table), pays_of(table)
    return study.expectation(study.best_chart(pays), pays)


@pytest.mark.parametrize(
    ("settings", "then"),
    [
        ({"soft_17": "hit"}, "worse"),
        ({"decks": 8}, "worse"),
        ({"double_after_split": False}, "worse"),
        ({"split_hands": 3}, "better"),
        ({"split_hands": 1}, "worse"),
        ({"natural_pays": Ratio(6, 5)}, "worse"),
    ],
    ids=str,
)
def test_a_rule_helps_or_hurts_the_player(settings: dict[str, Any], then: str) -> None:
    boxes = {"boxes": 1}
    changed = expectation(**settings, **boxes)
    before = expectation(**boxes)
    assert changed != before
    assert then == ("better" if changed > before else "worse")


def test_a_cap_costs_and_best_play_gives_less_away() -> None:
    figures = Figures().of(CLASSIC.version)
    assert figures is not None
    cost, capped = figures["max_win"]["cost"], figures["max_win"]["at_maximum_wager"]
    assert 0 < cost["optimal"] < cost["basic"]
    assert capped["optimal"] > capped["basic"]
    wide = varied(CLASSIC, max_win=MaxWin(Ratio(4, 1), "hand"))
    assert pays_of(wide, Fraction(1)) == pays_of(wide)


@pytest.mark.parametrize("table_id", ["progressive-five", "classic-three"])
def test_the_figures_beside_a_table_are_its_own(table_id: str) -> None:
    table = TABLES[table_id]
    made = figures_of(Study(table))
    assert Figures().of(table.version) == made


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_every_shipped_table_is_analysed(table: TableRules) -> None:
    figures = Figures().of(table.version)
    assert figures is not None
    assert figures["table_id"] == table.table_id
    expectation_of = figures["expectation"]
    assert expectation_of["mimic"] < expectation_of["basic"] < expectation_of["optimal"]
    assert written(figures).endswith("}\n")
    assert dealers_play(table).hard[16] == ("H",) * 10
