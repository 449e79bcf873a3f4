"""Reading a table file: TOML text to TableRules, or every fault of it at once."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from service.rules.table import (
    BONUS_LINES,
    Limits,
    MaxWin,
    TableRules,
    contradictions,
)
from service.tomlreader import FileFault, Reader, settings_of, shipped_files

# Sums stay within 2^53: a natural multiplies by 9999 at most, and what a bonus may
# come to is checked with its wager.
MOST_MULTIPLE = 10_000_000
MOST_WAGER = 10_000_000_000


class TableFault(FileFault):
    """A table file that is refused."""


def shipped_tables() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each table file that comes with Upcard."""
    return shipped_files("tables")


def parse_table(text: str, source: str) -> TableRules:
    """Return the rules in a table file's text; ``source`` names it in errors.

    Raises TableFault with every unknown key, missing key, bad value, or, when those
    are right, every contradiction.
    """
    settings = settings_of(text, source, TableFault)
    reader = Reader(settings)
    table = _table(reader, _version(settings))
    faults = reader.faults or list(contradictions(table))
    if faults:
        raise TableFault(source, tuple(faults))
    return table


def _version(settings: Mapping[str, Any]) -> str:
    canonical = json.dumps(settings, sort_keys=True, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _table(reader: Reader, version: str) -> TableRules:
    limits, limit_readers = _limits(reader)
    max_win = reader.inner("max_win", optional=True)
    bonus = reader.inner("bonus", optional=True)
    table = TableRules(
        version=version,
        table_id=reader.text(
            "table_id", "[a-z][a-z0-9-]{2,39}", "3 to 40 of a-z 0-9 -"
        ),
        number=reader.text("number", "[0-9]{3}", "three digits"),
        title=reader.text("title", "[ -~]{1,60}", "1 to 60 plain characters"),
        seating=reader.choice("seating", "private", "shared"),
        decks=reader.integer("decks", 1, 8) or 1,
        boxes=reader.integer("boxes", 1, 5) or 1,
        reshuffle=reader.choice("reshuffle", "every_round", "cut_card"),
        cut_card=reader.integer("cut_card", 1, 416, optional=True),
        soft_17=reader.choice("soft_17", "stand", "hit"),
        split_on=reader.choice("split_on", "value", "rank"),
        split_hands=reader.integer("split_hands", 1, 4) or 1,
        split_aces_hit=reader.flag("split_aces_hit"),
        split_aces_double=reader.flag("split_aces_double"),
        split_aces_resplit=reader.flag("split_aces_resplit"),
        split_21=reader.choice("split_21", "plain", "natural"),
        double_after_split=reader.flag("double_after_split"),
        stand_on_21=reader.flag("stand_on_21"),
        insurance=reader.choice("insurance", "any", "all_or_none"),
        natural_pays=reader.ratio("natural_pays"),
        insurance_pays=reader.ratio("insurance_pays"),
        under_minimum=reader.choice("under_minimum", "raise", "refuse"),
        void_after_days=reader.integer("void_after_days", 1, 3650) or 1,
        on_expiry=reader.choice("on_expiry", "void", "auto_stand", "forfeit"),
        limits=MappingProxyType(limits),
        max_win=_max_win(max_win),
        bonus_pays=_bonus(bonus),
    )
    reader.finish(*limit_readers, max_win, bonus)
    return table


def _limits(reader: Reader) -> tuple[dict[str, Limits], list[Reader]]:
    currencies = reader.inner("limits")
    limits: dict[str, Limits] = {}
    readers: list[Reader] = []
    if currencies is None:
        return limits, readers
    for currency in list(currencies.section):
        if not re.fullmatch("[A-Z]{3}", currency):
            reader.fault(f"limits.{currency}", "must be named by an ISO 4217 code")
        inner = currencies.inner(currency)
        if inner is not None:
            limits[currency] = _limits_of(inner)
            readers.append(inner)
    if not limits:
        reader.fault("limits", "must hold at least one currency")
    return limits, [currencies, *readers]


def _limits_of(reader: Reader) -> Limits:
    limits = Limits(
        minimum=reader.integer("minimum", 1, MOST_WAGER) or 1,
        maximum=reader.integer("maximum", 1, MOST_WAGER) or 1,
        step=reader.integer("step", 1, MOST_WAGER) or 1,
        chips=reader.whole_numbers("chips"),
        bonus_wager=reader.integer("bonus_wager", 1, MOST_WAGER, optional=True),
    )
    reader.finish()
    return limits


def _max_win(reader: Reader | None) -> MaxWin | None:
    if reader is None:
        return None
    multiple = reader.ratio("multiple")
    basis = reader.choice("basis", "hand", "stake", "round")
    reader.finish()
    return MaxWin(multiple, basis)


def _bonus(reader: Reader | None) -> Mapping[str, int] | None:
    if reader is None:
        return None
    pays = {line: reader.integer(line, 1, MOST_MULTIPLE) or 1 for line in BONUS_LINES}
    reader.finish()
    return MappingProxyType(pays)
