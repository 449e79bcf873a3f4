"""`upcard tables`: check table files, load them, list what is loaded."""

import datetime as dt
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from service.cli.analysed import made_figures, named_table, study_of
from service.cli.environment import config_or_exit
from service.config import Config, ConfigError
from service.embedded.access import database_urls
from service.embedded.errors import EmbeddedFault
from service.figures import SUFFIX, written
from service.rules.table import TableRules
from service.store.database import Database
from service.store.errors import StoreError
from service.store.tables import all_table_versions, save_table_version
from service.tablefile import TableFault, parse_table, shipped_tables

FILES = click.Path(exists=True, dir_okay=False, path_type=Path)
SHORT = 12


@click.group("tables")
def command() -> None:
    """Check table files, load them, list what is loaded.

    A table is a TOML file. Loading one makes a version that never changes: rounds
    keep the version that they were opened under, new rounds take the newest.
    """


@command.command()
@click.argument("files", nargs=-1, required=True, type=FILES)
def check(files: tuple[Path, ...]) -> None:
    """Check table FILES and name every fault in them."""
    for rules in _parsed((path.name, path.read_text("utf-8")) for path in files):
        click.echo(f"{rules.table_id}: right; version {rules.version[:SHORT]}")


@command.command()
@click.argument("files", nargs=-1, type=FILES)
def load(files: tuple[Path, ...]) -> None:
    """Load table FILES, or the four that come with Upcard."""
    texts = [(path.name, path.read_text("utf-8")) for path in files]
    texts = texts or list(shipped_tables())
    tables = _parsed(texts)
    with _database() as database:
        for rules, (_, text) in zip(tables, texts, strict=True):
            new = save_table_version(database, rules.table_id, rules.version, text)
            said = "loaded" if new else "was loaded before"
            click.echo(f"{rules.table_id}: {said}; version {rules.version[:SHORT]}")


@command.command("list")
def list_() -> None:
    """List every version that was loaded; new rounds take the newest."""
    shown = Table(box=None, pad_edge=False)
    for heading in ("table", "version", "loaded (UTC)", "title"):
        shown.add_column(heading, no_wrap=True)
    with _database() as database:
        for row in all_table_versions(database):
            moment = dt.datetime.fromtimestamp(row.loaded_at // 1_000_000, dt.UTC)
            title = parse_table(row.source, row.table_id).title
            loaded = f"{moment:%Y-%m-%d %H:%M:%S}"
            shown.add_row(row.table_id, row.version[:SHORT], loaded, title)
    Console().print(shown)


@command.command()
@click.argument("table")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to; in the home of the service if not given.",
)
def analyse(table: str, output: Path | None) -> None:
    """Make the exact figures of TABLE, an id or a file.

    The service shows them on the page of that version of the table.
    """
    named = named_table(table)
    figures = made_figures(study_of(named.rules))
    if output is None:
        folder = config_or_exit().figures
        folder.mkdir(parents=True, exist_ok=True)
        output = folder / f"{named.rules.version}{SUFFIX}"
    output.write_text(written(figures), "utf-8")
    returned = 1 + figures["expectation"]["basic"]
    click.echo(f"{named.rules.table_id}: return to player {returned:.4%}; {output}")


def _parsed(texts: Iterable[tuple[str, str]]) -> list[TableRules]:
    """Return the rules of all texts, or end with every fault of every one."""
    tables: list[TableRules] = []
    faults: list[str] = []
    for source, text in texts:
        try:
            tables.append(parse_table(text, source))
        except TableFault as fault:
            faults.append(str(fault))
    if faults:
        raise click.ClickException("\n".join(faults))
    return tables


@contextmanager
def _database() -> Iterator[Database]:
    """Give the configured database, or end with what is wrong with it."""
    try:
        config = Config.from_environment()
        with database_urls(config, lambda line: click.echo(line, err=True)) as urls:
            database = Database(urls.service)
            try:
                yield database
            finally:
                database.close()
    except (ConfigError, EmbeddedFault, StoreError) as error:
        raise click.ClickException(str(error)) from error
