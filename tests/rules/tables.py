"""The tables that the house ships, and tables that differ from them."""

import dataclasses
import hashlib
import tomllib
from collections.abc import Mapping
from typing import Any, Final

import pytest

from service.rules.table import TableRules, contradictions
from service.tablefile import TableFault, parse_table, shipped_tables

TABLE_FILES: Final = {
    file.removesuffix(".toml"): text for file, text in shipped_tables()
}


def table_text(table_id: str) -> str:
    """Return the text of a table file that the house ships."""
    return TABLE_FILES[table_id]


def shipped(table_id: str) -> TableRules:
    """Return the rules of a table that the house ships."""
    return parse_table(TABLE_FILES[table_id], f"{table_id}.toml")


PROGRESSIVE: Final = shipped("progressive-five")
SHARED: Final = shipped("shared-five")
CLASSIC: Final = shipped("classic-three")
AMERICAN: Final = shipped("american-five")
TABLES: Final[Mapping[str, TableRules]] = {
    table.table_id: table for table in (PROGRESSIVE, SHARED, CLASSIC, AMERICAN)
}


def varied(base: TableRules, **settings: Any) -> TableRules:  # noqa: ANN401 - any setting
    """Return a table with some settings changed, which still agree with each other."""
    table = dataclasses.replace(base, **settings)
    assert list(contradictions(table)) == []
    seed = f"{base.version}{sorted(settings.items(), key=str)}"
    version = hashlib.sha256(seed.encode()).hexdigest()
    return dataclasses.replace(table, version=version)


def with_line(text: str, key: str, line: str | None) -> str:
    """Return a table file's text with the line of a key replaced, or left out."""
    lines = text.splitlines()
    (place,) = (n for n, old in enumerate(lines) if old.startswith(f"{key} ="))
    lines[place : place + 1] = [] if line is None else [line]
    changed = "\n".join(lines)
    assert repr(tomllib.loads(changed)) != repr(tomllib.loads(text))
    return changed


def faults_of(text: str) -> list[str]:
    """Return what is said about a table file that is refused."""
    with pytest.raises(TableFault) as caught:
        parse_table(text, "mine.toml")
    fault = caught.value
    assert fault.source == "mine.toml"
    assert str(fault) == "\n".join(f"mine.toml: {line}" for line in fault.faults)
    return list(fault.faults)
