"""How a table is played best, and what it returns: what the analysis found."""

from collections.abc import Mapping
from typing import Any

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.problems import Problem
from service.api.reply import Reply, digest, shared, unless_known

_PLACES = 7

Json = Mapping[str, Any]


def get_strategy(api: Api, asked: Asked) -> Reply:
    """Show a table's charts. Raises Problem, 404, when it is not analysed."""
    table = api.catalog.table(asked.path["table_id"])
    figures = api.figures.of(table.version)
    if figures is None:
        detail = f"Table {table.table_id} was not analysed in this version."
        raise Problem("not_analysed", detail)
    view = strategy_view(figures)
    return unless_known(asked, shared(view, digest(view)))


def strategy_view(figures: Json) -> dict[str, Any]:
    """Return the charts of a table's figures as everybody sees them."""
    strategy = figures["strategy"]
    return {
        "table_id": figures["table_id"],
        "table_version": figures["table_version"],
        "upcards": strategy["upcards"],
        **{part: _rows(strategy[part]) for part in ("hard", "soft", "pairs")},
        "exceptions": [
            {name: each[name] for name in ("cards", "upcard", "chart", "better")}
            for each in figures["exceptions"]
        ],
        "insurance": figures["insurance"],
        "rtp": rtp_view(figures),
    }


def rtp_view(figures: Json) -> dict[str, Any]:
    """Return what a table pays back, as parts of the initial wager."""
    capped, bonus = figures["max_win"], figures["bonus"]
    return {
        "basis": "initial_wager",
        **_plays(figures["expectation"], 1),
        "at_maximum_wager": capped and _plays(capped["at_maximum_wager"], 1),
        "max_win_cost": capped and _plays(capped["cost"], 0),
        "bonus": bonus
        and {play: _decimal(bonus[play]["return"]) for play in ("basic", "always_hit")},
    }


def _plays(values: Mapping[str, float], stake: int) -> dict[str, str]:
    return {play: _decimal(stake + values[play]) for play in ("basic", "optimal")}


def _decimal(value: float) -> str:
    """Return a decimal as text, so that no client rounds it."""
    return f"{value:.{_PLACES}f}"


def _rows(rows: Mapping[str, list[str]]) -> list[dict[str, Any]]:
    return [{"hand": hand, "cells": cells} for hand, cells in rows.items()]
