"""`upcard archive`: rounds that ended long ago leave the database for files."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from service.archive.files import Archive, Written
from service.archive.move import LEAST_MONTHS, archive_rounds, cutoff
from service.cli.environment import config_or_exit, plainly
from service.config import Config
from service.embedded.access import database_urls
from service.store import schema
from service.store.archive import count_ended
from service.store.database import ARCHIVER_ROLE, Database, clock

_AGE: Final = re.compile(r"([1-9][0-9]{0,2})([my])")
_MONTHS: Final = {"m": 1, "y": 12}


@click.command("archive")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--older-than",
    "age",
    default=f"{LEAST_MONTHS}m",
    show_default=True,
    metavar="AGE",
    help="Rounds that ended so many months (18m) or years (2y) ago; 12m is the least.",
)
@click.option("--dry-run", is_flag=True, help="Say how many there are, and move none.")
def command(folder: Path, age: str, *, dry_run: bool) -> None:
    """Move rounds that ended long ago to compressed files in FOLDER.

    Their logs and shoes leave the database; ledger, reports and lists stay as they
    are. Each file is on the disk and was read again before anything is deleted. Run
    it as often as you like, and again if it was interrupted. A service shows archived
    rounds if its UPCARD_ARCHIVE names FOLDER.
    """
    months = _months(age)
    config = config_or_exit()
    with plainly(), _database(config) as database:
        before = cutoff(clock(database), months)
        count = count_ended(database, before)
        if dry_run or not count:
            click.echo(f"{count} rounds ended more than {age} ago")
            return
        try:
            _move(database, folder.absolute(), before, count)
        except OSError as error:
            raise click.ClickException(f"{folder}: {error.strerror}") from None
    if config.archive is None or config.archive.resolve() != folder.resolve():
        click.echo(f"a service shows them with UPCARD_ARCHIVE={folder.absolute()}")


def _move(database: Database, folder: Path, before: int, count: int) -> None:
    """Move all that is due; show how far it is on a terminal, else each file."""
    console = Console()
    columns = (TextColumn("archiving"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("archiving", total=count)

        def note(written: Written) -> None:
            progress.advance(task, written.rounds)
            told = f"{written.name}: {written.rounds} rounds, {written.rows} rows"
            progress.console.print(told, highlight=False, soft_wrap=True)

        archive_rounds(database, Archive(folder), before, note)


@contextmanager
def _database(config: Config) -> Iterator[Database]:
    """Give the database under the one role that may delete from the log."""
    with database_urls(config, lambda line: click.echo(line, err=True)) as urls:
        database = Database(urls.owner, role=ARCHIVER_ROLE)
        try:
            schema.check(database)
            yield database
        finally:
            database.close()


def _months(age: str) -> int:
    """Return an age in months. Raises click.BadParameter."""
    found = _AGE.fullmatch(age)
    if found is None:
        raise click.BadParameter("must be like 18m or 2y", param_hint="--older-than")
    months = int(found[1]) * _MONTHS[found[2]]
    if months < LEAST_MONTHS:
        raise click.BadParameter(
            f"rounds stay on line for {LEAST_MONTHS} months at least",
            param_hint="--older-than",
        )
    return months
