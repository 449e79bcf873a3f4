"""The tables: what can be played, and under which rules."""

from collections.abc import Sequence
from typing import Any

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.jackpots import bonus_chances, operator_seen, table_jackpots
from service.api.reply import Reply, digest, shared, unless_known
from service.api.strategy import Json, rtp_view
from service.currencies import exponent
from service.rules.legal import ACTIONS
from service.rules.table import JACKPOT_LINE, Ratio, TableRules


def list_tables(api: Api, asked: Asked) -> Reply:
    """Show every table, by number."""
    operator = operator_seen(api, asked)
    items = [_shown(api, table, operator) for table in api.catalog.current()]
    return shared({"items": items, "next_cursor": None})


def get_table(api: Api, asked: Asked) -> Reply:
    """Show one table."""
    table = api.catalog.table(asked.path["table_id"])
    view = _shown(api, table, operator_seen(api, asked))
    return unless_known(asked, shared(view, digest(view)))


def _shown(api: Api, table: TableRules, operator: str | None) -> dict[str, Any]:
    jackpots = table_jackpots(api, table, operator)
    return table_view(table, api.figures.of(table.version), jackpots)


def table_view(
    table: TableRules, figures: Json | None, jackpots: Sequence[Json] = ()
) -> dict[str, Any]:
    """Return a table as everybody sees it; without figures it is not analysed."""
    return {
        "table_id": table.table_id,
        "number": table.number,
        "title": table.title,
        "version": table.version,
        "shared": table.seating == "shared",
        "decks": table.decks,
        "boxes": table.boxes,
        "shoe": {"reshuffle": table.reshuffle, "cut_card": table.cut_card},
        "dealer": {"soft_17": table.soft_17, "peeks": True},
        "actions": [name for name in ACTIONS if name != "split" or _splits(table)],
        "split": {
            "on": table.split_on,
            "hands": table.split_hands,
            "aces_hit": table.split_aces_hit,
            "aces_double": table.split_aces_double,
            "aces_resplit": table.split_aces_resplit,
            "twenty_one": table.split_21,
        },
        "double": {"after_split": table.double_after_split},
        "twenty_one_stands": table.stand_on_21,
        "insurance": {"choice": table.insurance},
        "payouts": {
            "natural": _ratio(table.natural_pays),
            "insurance": _ratio(table.insurance_pays),
            "win": "1:1",
        },
        "limits": _limits(table),
        "under_minimum": table.under_minimum,
        "bonus": _bonus(table, jackpots),
        "max_win": _max_win(table),
        "void_after_days": table.void_after_days,
        "on_expiry": table.on_expiry,
        "rtp": None if figures is None else rtp_view(figures),
    }


def _splits(table: TableRules) -> bool:
    return table.split_hands > 1


def _ratio(ratio: Ratio) -> str:
    return f"{ratio.numerator}:{ratio.denominator}"


def _limits(table: TableRules) -> dict[str, Any]:
    return {
        currency: {**limits._asdict(), "exponent": exponent(currency)}
        for currency, limits in table.limits.items()
    }


def _bonus(table: TableRules, jackpots: Sequence[Json]) -> dict[str, Any] | None:
    if table.bonus_pays is None:
        return None
    chances = bonus_chances(table)
    rising = sorted(table.bonus_pays.items(), key=lambda line: line[1])
    return {
        "paytable": [
            {
                "line": line,
                "pays": pays,
                "jackpot": line == JACKPOT_LINE,
                "chance": chances[line],
            }
            for line, pays in rising
        ],
        "jackpots": list(jackpots),
    }


def _max_win(table: TableRules) -> dict[str, Any] | None:
    if table.max_win is None:
        return None
    amounts = {
        currency: table.cap(limits.maximum) for currency, limits in table.limits.items()
    }
    multiple, basis = table.max_win
    return {"multiple": _ratio(multiple), "basis": basis, "amount": amounts}
