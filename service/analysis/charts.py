"""Charts out of columns, and columns out of charts."""

from collections.abc import Mapping
from typing import Final, cast

import numpy as np

from service.analysis.chart import HARD, SOFT, UPCARDS, Chart, Code, Row
from service.analysis.optimum import CLASSES, Column
from service.analysis.ranks import ACE, RANKS
from service.rules.cards import BLACKJACK

_SOFT_PAIR: Final = 12


def chart_of(columns: Mapping[int, Column]) -> Chart:
    """Return the chart of a column for each upcard."""
    hard = {points: _row(columns, 2 * points) for points in HARD}
    soft = {points: _row(columns, 2 * points + 1) for points in SOFT}
    pairs = {}
    for rank in RANKS:
        played = soft[_SOFT_PAIR] if rank == ACE else hard[2 * rank]
        cells = [
            "P" if rank in columns[upcard].split else code
            for upcard, code in zip(UPCARDS, played, strict=True)
        ]
        pairs[rank] = cast("Row", tuple(cells))
    return Chart(hard, soft, pairs)


def columns_of(chart: Chart) -> dict[int, Column]:
    """Return the column of a chart for each upcard."""
    found = {}
    for place, upcard in enumerate(UPCARDS):
        hit, double = np.zeros(CLASSES, bool), np.zeros(CLASSES, bool)
        for soft, rows in enumerate((chart.hard, chart.soft)):
            for points, row in rows.items():
                hit[2 * points + soft] = row[place] in {"H", "D"}
                double[2 * points + soft] = row[place] in {"D", "Ds"}
        split = {rank for rank, row in chart.pairs.items() if row[place] == "P"}
        # Lower totals come about only while a hand has one card.
        hit[: 2 * HARD.start] = True
        hit[2 * BLACKJACK :] = double[2 * BLACKJACK :] = False
        found[upcard] = Column(hit, double, frozenset(split))
    return found


def _row(columns: Mapping[int, Column], kind: int) -> Row:
    return tuple(_code(columns[upcard], kind) for upcard in UPCARDS)


def _code(column: Column, kind: int) -> Code:
    if column.double[kind]:
        return "D" if column.hit[kind] else "Ds"
    return "H" if column.hit[kind] else "S"
