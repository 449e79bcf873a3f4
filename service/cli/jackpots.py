"""`upcard jackpots`: what each holds, whether it adds up, and its parameters."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import click

from service.cli.environment import config_or_exit, owners_database, plainly
from service.jackpotfile import (
    JackpotFault,
    check_jackpot,
    decimal,
    parse_jackpot,
    return_at,
    shipped_jackpots,
)
from service.meter import Jackpot, Meter
from service.rules.table import TableRules
from service.store.database import Database
from service.store.jackpots import (
    all_jackpot_versions,
    make_meter,
    save_jackpot_version,
)
from service.store.operators import all_operators
from service.store.tables import all_table_versions
from service.tablefile import parse_table, shipped_tables

_FILES: Final = click.Path(path_type=Path)
_SHORT: Final = 12


@click.group("jackpots")
def command() -> None:
    """Show the jackpots, see that they add up, load their files.

    A jackpot is a TOML file: reset value, contribution, ceiling, tables. Each operator
    has a meter of his own. A changed file waits, for each meter, until its next hit.
    """


@command.command()
@click.argument("files", nargs=-1, required=True, type=_FILES)
def check(files: tuple[Path, ...]) -> None:
    """Check jackpot FILES against the tables that come with Upcard."""
    tables = {
        table.table_id: table
        for table in (parse_table(text, name) for name, text in shipped_tables())
    }
    for jackpot, _ in _parsed(files, tables):
        click.echo(f"{jackpot.jackpot_id}: right; {_returns(jackpot, tables)}")


@command.command()
@click.argument("files", nargs=-1, type=_FILES)
def load(files: tuple[Path, ...]) -> None:
    """Load jackpot FILES, or those that come with Upcard.

    A meter goes by the new version from its next hit on.
    """
    with owners_database(config_or_exit()) as database:
        if not files:
            load_shipped_jackpots(database, lambda said: click.echo(f"loaded {said}"))
            return
        tables = newest_tables(database)
        for jackpot, text in _parsed(files, tables):
            with plainly():
                _keep(database, jackpot, text)
            version = jackpot.version[:_SHORT]
            click.echo(
                f"{jackpot.jackpot_id}: loaded; version {version}; "
                f"{_returns(jackpot, tables)}"
            )


def load_shipped_jackpots(database: Database, say: Callable[[str], None]) -> None:
    """Load each jackpot of this release that the database has not yet.

    Raises:
        JackpotFault: a file is wrong, or does not fit the tables that are loaded.
        DatabaseUnavailable: no answer.
    """
    loaded = {row.version for row in all_jackpot_versions(database)}
    for source, text in shipped_jackpots():
        jackpot = parse_jackpot(text, source)
        if jackpot.version not in loaded:
            check_jackpot(jackpot, source, newest_tables(database))
            _keep(database, jackpot, text)
            say(f"{jackpot.jackpot_id},")


def newest_tables(database: Database) -> dict[str, TableRules]:
    """Return the tables that new rounds take, by name.

    Raises:
        DatabaseUnavailable: no answer.
    """
    newest = {row.table_id: row.source for row in all_table_versions(database)}
    return {name: parse_table(source, name) for name, source in newest.items()}


def _keep(database: Database, jackpot: Jackpot, text: str) -> None:
    """Keep a version, once each operator's meter goes by the one before it."""
    loaded = [
        parse_jackpot(row.source, row.jackpot_id)
        for row in all_jackpot_versions(database)
    ]
    for other in loaded:
        _refuse_if_at_odds(jackpot, other)
    before = [other for other in loaded if other.jackpot_id == jackpot.jackpot_id]
    for row in all_operators(database) if before else ():
        make_meter(database, Meter.new(row.operator, before[-1]))
    save_jackpot_version(database, jackpot.jackpot_id, jackpot.version, text)


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


def _returns(jackpot: Jackpot, tables: Mapping[str, TableRules]) -> str:
    """Say what a bonus returns at the reset value to who hits on every run."""
    said = []
    for name in jackpot.tables:
        wager = tables[name].limits[jackpot.currency].bonus_wager
        assert wager is not None, "a file without one is refused"
        found = return_at(tables[name], wager, jackpot.reset)
        said.append(f"the bonus of {name} returns {decimal(found)} at the reset value")
    return ", ".join(said)


def _parsed(
    files: Iterable[Path], tables: Mapping[str, TableRules]
) -> list[tuple[Jackpot, str]]:
    """Return jackpot and text of all files, or end with all faults of each."""
    jackpots: list[tuple[Jackpot, str]] = []
    faults: list[str] = []
    for path in files:
        try:
            text = path.read_text("utf-8")
            jackpot = parse_jackpot(text, path.name)
            check_jackpot(jackpot, path.name, tables)
            jackpots.append((jackpot, text))
        except JackpotFault as fault:
            faults.append(str(fault))
        except UnicodeDecodeError:
            faults.append(f"{path.name}: is not UTF-8 text")
        except OSError as error:
            faults.append(f"{path}: {error.strerror}")
    if faults:
        raise click.ClickException("\n".join(faults))
    return jackpots
