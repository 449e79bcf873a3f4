"""Jackpots' files on their way into the database."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import click

from service.changes import Actor, load_jackpot
from service.cli.acting import actor
from service.cli.environment import read_files
from service.jackpotfile import (
    check_jackpot,
    decimal,
    parse_jackpot,
    return_at,
    shipped_jackpots,
)
from service.meter import Jackpot
from service.rules.table import TableRules
from service.store.database import Database
from service.store.jackpot_versions import all_jackpot_versions
from service.store.tables import all_table_versions
from service.tablefile import parse_table


def load_shipped_jackpots(
    database: Database, say: Callable[[str], None], *, keep: bool = False
) -> None:
    """Load each jackpot of this release that the database has not yet.

    With ``keep`` a jackpot that is there stays as somebody loaded it.

    Raises:
        JackpotFault: a file is wrong, or does not fit the tables that are loaded.
        DatabaseUnavailable: no answer.
    """
    versions = all_jackpot_versions(database)
    loaded = {row.version for row in versions}
    there = {row.jackpot_id for row in versions if keep}
    for source, text in shipped_jackpots():
        jackpot = parse_jackpot(text, source)
        if jackpot.version in loaded:
            continue
        if jackpot.jackpot_id in there:
            say(f"{jackpot.jackpot_id} stays as it is,")
        else:
            check_jackpot(jackpot, source, newest_tables(database))
            keep_jackpot(database, actor("comes with Upcard"), jackpot, text)
            say(f"{jackpot.jackpot_id},")


def newest_tables(database: Database) -> dict[str, TableRules]:
    """Return the tables that new rounds take, by name.

    Raises:
        DatabaseUnavailable: no answer.
    """
    newest = {row.table_id: row.source for row in all_table_versions(database)}
    return {name: parse_table(source, name) for name, source in newest.items()}


def refuse_misfits(database: Database, tables: Iterable[TableRules]) -> None:
    """Refuse tables whose new rules a jackpot that is won there does not allow.

    Raises:
        JackpotFault: which, and why: a bonus that is gone or returns too little.
        DatabaseUnavailable: no answer.
    """
    known = {row.version for row in all_table_versions(database)}
    changed = {one.table_id: one for one in tables if one.version not in known}
    rules = newest_tables(database) | changed
    newest = {row.jackpot_id: row.source for row in all_jackpot_versions(database)}
    for name, text in newest.items():
        jackpot = parse_jackpot(text, name)
        if changed.keys() & set(jackpot.tables):
            check_jackpot(jackpot, f"jackpot {name}", rules)


def keep_jackpot(database: Database, who: Actor, jackpot: Jackpot, text: str) -> bool:
    """Keep a version, once each operator's meter goes by the one before it.

    False: it was kept before.

    Raises:
        click.ClickException: it can't be beside what is loaded.
        DatabaseUnavailable: no answer.
    """
    loaded = [
        parse_jackpot(row.source, row.jackpot_id)
        for row in all_jackpot_versions(database)
    ]
    for other in loaded:
        _refuse_if_at_odds(jackpot, other)
    before = [other for other in loaded if other.jackpot_id == jackpot.jackpot_id]
    return load_jackpot(database, who, jackpot, text, before[-1] if before else None)


def _refuse_if_at_odds(jackpot: Jackpot, other: Jackpot) -> None:
    """Refuse what can't be changed of a jackpot, and a table with two of them."""
    name = jackpot.jackpot_id
    same = (other.currency, set(other.tables)) == (
        jackpot.currency,
        set(jackpot.tables),
    )
    if other.jackpot_id == name:
        if not same:
            raise click.ClickException(
                f"{name}: currency and tables of a jackpot stay what they were; give "
                "the other one another jackpot_id"
            )
        return
    shared = set(other.tables) & set(jackpot.tables)
    if other.currency == jackpot.currency and shared:
        raise click.ClickException(
            f"{name}: {', '.join(sorted(shared))} has the jackpot {other.jackpot_id} "
            f"in {jackpot.currency}"
        )


def returns_of(jackpot: Jackpot, tables: Mapping[str, TableRules]) -> str:
    """Say what a bonus returns at the reset value to who hits on every run."""
    said = []
    for name in jackpot.tables:
        wager = tables[name].limits[jackpot.currency].bonus_wager
        assert wager is not None, "a file without one is refused"
        found = return_at(tables[name], wager, jackpot.reset)
        said.append(f"the bonus of {name} returns {decimal(found)} at the reset value")
    return ", ".join(said)


def parsed_jackpots(
    files: Iterable[Path], tables: Mapping[str, TableRules]
) -> list[tuple[Jackpot, str]]:
    """Return jackpot and text of all files.

    Raises:
        click.ClickException: with all faults of each.
    """

    def checked(text: str, source: str) -> Jackpot:
        jackpot = parse_jackpot(text, source)
        check_jackpot(jackpot, source, tables)
        return jackpot

    return read_files(files, checked)
