"""`upcard tables`: check table files, load them, list what is loaded."""

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

import click

from service.changes import load_table
from service.cli.acting import actor
from service.cli.analysed import check_folder, made_figures, named_table, study_of
from service.cli.environment import config_or_exit, read_files, service_database
from service.cli.jackpot_files import refuse_misfits
from service.figures import SUFFIX, write_figures
from service.offers import check_offers
from service.rules.table import TableRules
from service.store.tables import all_table_versions
from service.tablefile import parse_table, shipped_tables

FILES = click.Path(path_type=Path)
SHORT = 12


@click.group("tables")
def command() -> None:
    """Check table files, load them, list what is loaded.

    A table is a TOML file. Loading one makes a version that never changes, named by
    a digest of its settings. Rounds keep the version that they were opened under; new
    rounds take the one that was loaded last, for the first time.
    """


@command.command()
@click.argument("files", nargs=-1, required=True, type=FILES)
def check(files: tuple[Path, ...]) -> None:
    """Check table FILES and name every fault in them."""
    for rules, _ in read_files(files, parse_table):
        click.echo(f"{rules.table_id}: right; version {rules.version[:SHORT]}")


@command.command()
@click.argument("files", nargs=-1, type=FILES)
@click.option("--why", metavar="TEXT", help="For those who ask later.")
def load(files: tuple[Path, ...], why: str | None) -> None:
    """Load table FILES, or the four that come with Upcard.

    A table where a jackpot is won keeps a bonus that the jackpot's file allows.
    """
    tables = read_files(files, parse_table) if files else _shipped()
    with service_database(config_or_exit()) as database:
        refuse_misfits(database, [rules for rules, _ in tables])
        for rules, _ in tables:
            check_offers(database, rules)  # all or none of them
        for rules, text in tables:
            new = load_table(database, actor(why), rules, text)
            said = "loaded" if new else "was loaded before"
            click.echo(f"{rules.table_id}: {said}; version {rules.version[:SHORT]}")
        newest = {row.table_id: row.version for row in all_table_versions(database)}
    for rules, _ in tables:
        if (other := newest[rules.table_id]) != rules.version:
            click.echo(
                f"{rules.table_id}: new rounds take version {other[:SHORT]}, which was "
                "loaded after it; to go back to these rules, change the title in the "
                "file (that makes a new version of them) and load it"
            )


@command.command("list")
def list_() -> None:
    """List every version that was loaded; new rounds take the newest."""
    rows = [("table", "version", "loaded (UTC)", "title")]
    with service_database(config_or_exit()) as database:
        for row in all_table_versions(database):
            moment = dt.datetime.fromtimestamp(row.loaded_at // 1_000_000, dt.UTC)
            title = parse_table(row.source, row.table_id).title
            loaded = f"{moment:%Y-%m-%d %H:%M:%S}"
            rows.append((row.table_id, row.version[:SHORT], loaded, title))
    for line in columns(rows):
        click.echo(line)


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
    if output is not None:
        check_folder(output)
    figures = made_figures(study_of(named.rules))
    if output is None:
        folder = config_or_exit().figures
        folder.mkdir(parents=True, exist_ok=True)
        output = folder / f"{named.rules.version}{SUFFIX}"
    write_figures(output, figures)
    returned = 1 + figures["expectation"]["basic"]
    click.echo(f"{named.rules.table_id}: return to player {returned:.4%}; {output}")


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a line for each row, nothing cut: another program may read it.

    >>> list(columns([("a", "b"), ("long", "c")]))
    ['a     b', 'long  c']
    """
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    for row in rows:
        cells = (f"{cell:{width}}" for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _shipped() -> list[tuple[TableRules, str]]:
    return [(parse_table(text, source), text) for source, text in shipped_tables()]
