"""All figures of a table in one JSON object, keyed by the digest of its rules."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, Final

from service.analysis.chances import (
    Goes,
    always,
    bonus_return,
    by,
    insurance_expectation,
    line_chances,
    natural_chance,
)
from service.analysis.chart import UPCARDS, Chart, mimic
from service.analysis.hands import EMPTY, hands_from, plus
from service.analysis.plays import pays_of
from service.analysis.ranks import LABELS, RANKS
from service.analysis.study import Study
from service.analysis.upcards import UNSPLIT, Best
from service.rules.cards import PAIR
from service.rules.table import TableRules

FORMAT: Final = 1
_PLACES: Final = 7
_MAXIMUM: Final = Fraction(1)


def figures_of(study: Study) -> dict[str, Any]:
    """Return all figures; expectations are in initial wagers, uninsured, uncapped."""
    table = study.table
    pays = pays_of(table)
    best, chart = study.best(pays), study.best_chart(pays)
    return {
        "format": FORMAT,
        "table_id": table.table_id,
        "table_version": table.version,
        "expectation": {
            "optimal": _rounded(study.best_expectation(best)),
            "basic": _rounded(study.expectation(chart, pays)),
            "mimic": _rounded(study.expectation(dealers_play(table), pays)),
        },
        "natural": str(natural_chance(table.decks)),
        "insurance": str(insurance_expectation(table)),
        "max_win": _max_win(study, chart, best),
        "bonus": _bonus(table, chart),
        "strategy": chart.as_json(),
        "exceptions": list(_exceptions(chart, best)),
        "hands": dict(_hands(best)),
    }


def dealers_play(table: TableRules) -> Chart:
    """Return the play of a player who plays as the table's dealer does."""
    return mimic(hits_soft_17=table.soft_17 == "hit")


def _rounded(value: float) -> float:
    return round(value, _PLACES)


def _max_win(
    study: Study, chart: Chart, best: Mapping[int, Best]
) -> dict[str, Any] | None:
    """Return what both plays win at the maximum wager, where a cap may cut most.

    A cap by round joins hands together: its cost is for a simulation to find.
    """
    table = study.table
    if table.max_win is None or table.max_win.basis == "round":
        return None
    free, capped = pays_of(table), pays_of(table, _MAXIMUM)
    optimal = study.best_expectation(study.best(capped))
    basic = study.expectation(chart, capped)
    return {
        "at_maximum_wager": {"optimal": _rounded(optimal), "basic": _rounded(basic)},
        "cost": {
            "optimal": _rounded(study.best_expectation(best) - optimal),
            "basic": _rounded(study.expectation(chart, free) - basic),
        },
    }


def _bonus(table: TableRules, chart: Chart) -> dict[str, Any] | None:
    """Return the lines' chances under the chart, and when every run of aces is hit."""
    if table.bonus_pays is None:
        return None
    return {
        name: _lines(table, goes)
        for name, goes in (("basic", by(chart)), ("always_hit", always))
    }


def _lines(table: TableRules, goes: Goes) -> dict[str, Any]:
    chances = line_chances(table, goes)
    return {
        "return": _rounded(float(bonus_return(table, chances))),
        "lines": {line: str(chance) for line, chance in chances.items()},
    }


def _exceptions(chart: Chart, best: Mapping[int, Best]) -> Iterator[dict[str, Any]]:
    """Yield the two-card hands that best play plays otherwise than the chart."""
    for upcard in UPCARDS:
        for label, values in _two_cards(best[upcard]):
            one, two = label
            row = hands_from(UNSPLIT).row[plus(plus(EMPTY, one), two)]
            points = int(hands_from(UNSPLIT).points[row])
            soft = bool(hands_from(UNSPLIT).soft[row])
            splits = one == two and "split" in values
            move = chart.move(
                points, upcard, soft=soft, pair=one if splits else None, double=True
            )
            better = max(values, key=lambda name: values[name])
            gain = _rounded(values[better] - values[move])
            if better != move and gain > 0:
                yield {
                    "cards": f"{LABELS[one]}{LABELS[two]}",
                    "upcard": LABELS[upcard],
                    "chart": move,
                    "better": better,
                    "gain": gain,
                }


def _hands(best: Mapping[int, Best]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each two-card hand: what each action is worth against each upcard."""
    by_upcard = {upcard: dict(_two_cards(best[upcard])) for upcard in UPCARDS}
    for one, two in combinations_with_replacement(RANKS, PAIR):
        cells = {
            LABELS[upcard]: {
                name: _rounded(value) for name, value in hands[one, two].items()
            }
            for upcard, hands in by_upcard.items()
            if (one, two) in hands
        }
        yield f"{LABELS[one]}{LABELS[two]}", cells


def _two_cards(best: Best) -> Iterator[tuple[tuple[int, int], dict[str, float]]]:
    """Yield what each action of a two-card hand is worth, no dealer natural."""
    values, hands = best.values, hands_from(UNSPLIT)
    for one, two in combinations_with_replacement(RANKS, PAIR):
        row = hands.row[plus(plus(EMPTY, one), two)]
        mass = float(values.mass[row])
        if not mass:
            continue
        found = {
            "stand": float(values.stand[row]) / mass,
            "hit": float(values.hit[row]) / mass,
            "double": float(values.double[row]) / mass,
        }
        if one == two and one in best.splits:
            found["split"] = best.splits[one].value
        yield (one, two), found
