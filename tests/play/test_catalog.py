"""The catalog offers the newest version of a table and keeps every old one."""

import pytest

from service.catalog import FRESH_SECONDS, Catalog
from service.refusals import TableNotFound
from service.rules.table import TableRules
from service.store.database import Database
from service.store.tables import save_table_version
from service.tablefile import parse_table, shipped_tables

CLASSIC = dict(shipped_tables())["classic-three.toml"]
FEWER_BOXES = CLASSIC.replace("boxes = 3", "boxes = 2")


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def load(database: Database, text: str) -> TableRules:
    rules = parse_table(text, "test")
    save_table_version(database, rules.table_id, rules.version, text)
    return rules


def test_a_version_loaded_meanwhile_is_offered_within_the_promised_seconds(
    database: Database,
) -> None:
    old = load(database, CLASSIC)
    clock = Clock()
    catalog = Catalog(database, clock)
    assert catalog.table("classic-three") == old
    new = load(database, FEWER_BOXES)
    clock.now = FRESH_SECONDS - 0.01
    assert catalog.table("classic-three") == old
    clock.now = FRESH_SECONDS
    assert catalog.table("classic-three") == new
    assert catalog.current() == (new,)


def test_a_round_can_always_be_read_under_the_version_it_was_opened_under(
    database: Database,
) -> None:
    old, new = load(database, CLASSIC), load(database, FEWER_BOXES)
    catalog = Catalog(database)
    assert catalog.versions() == {old.version: old, new.version: new}
    assert catalog.source(old.version) == CLASSIC


def test_a_round_that_another_process_dealt_under_a_new_version_is_read_at_once(
    database: Database,
) -> None:
    load(database, CLASSIC)
    catalog = Catalog(database, Clock())
    versions = catalog.versions()
    new = load(database, FEWER_BOXES)
    assert versions[new.version] == catalog.versions()[new.version] == new
    newer = load(database, CLASSIC.replace("boxes = 3", "boxes = 1"))
    assert "boxes = 1" in catalog.source(newer.version)
    with pytest.raises(KeyError):
        versions["0" * 64]
    with pytest.raises(KeyError):
        catalog.source("0" * 64)


def test_an_unknown_table_is_refused_with_the_tables_there_are(
    database: Database,
) -> None:
    load(database, CLASSIC)
    with pytest.raises(TableNotFound) as refusal:
        Catalog(database).table("classic")
    assert refusal.value.tables == ("classic-three",)
