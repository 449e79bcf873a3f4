"""What the commands share: the configuration, and errors told without a traceback."""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import click

from service.config import Config, ConfigError
from service.embedded.access import database_urls
from service.embedded.errors import EmbeddedFault
from service.embedded.keys import ensure_keys
from service.keyfile import KeyFault
from service.offers import OffersAtOdds
from service.operators import SandboxRefused
from service.store import schema
from service.store.database import Database
from service.store.errors import StoreError
from service.store.seals import last_day
from service.tomlreader import FileFault

Parsed = TypeVar("Parsed")
_NAME = "upcard"
_PLAIN = (
    *(EmbeddedFault, FileFault, KeyFault, OffersAtOdds, SandboxRefused, StoreError),
)


def program() -> str:
    """Return what to type for this program: its name if the shell finds that."""
    typed = Path(sys.argv[0])
    if typed.name != _NAME:
        return _NAME  # run from within Python
    found = shutil.which(_NAME)
    if found is not None and Path(found).resolve() == typed.resolve():
        return _NAME
    return sys.argv[0]


def config_or_exit() -> Config:
    """Read the configuration; say every fault of it and end, if there is one."""
    try:
        return Config.from_environment()
    except ConfigError as error:
        lines = "\n".join(f"  {fault}" for fault in error.faults)
        raise click.ClickException(f"the environment is wrong:\n{lines}") from None


@contextmanager
def plainly() -> Iterator[None]:
    """Turn what an operator can mend into a plain message."""
    try:
        yield
    except _PLAIN as error:
        raise click.ClickException(str(error)) from error


def read_files(
    files: Iterable[Path], parse: Callable[[str, str], Parsed]
) -> list[tuple[Parsed, str]]:
    """Return what each file says, as `parse` finds in its text and name, and its text.

    Raises:
        click.ClickException: with all faults of each.
    """
    found: list[tuple[Parsed, str]] = []
    faults: list[str] = []
    for path in files:
        try:
            text = path.read_text("utf-8")
            found.append((parse(text, path.name), text))
        except FileFault as fault:
            faults.append(str(fault))
        except UnicodeDecodeError:
            faults.append(f"{path.name}: is not UTF-8 text")
        except OSError as error:
            faults.append(f"{path}: {error.strerror}")
    if faults:
        raise click.ClickException("\n".join(faults))
    return found


def ensure_seal_keys(config: Config, database: Database) -> None:
    """Make the key file that signs seals, unless there is one or there are seals.

    Raises:
        EmbeddedFault: it is missing beside a database with seals.
    """
    ensure_keys(
        [config.seal_keys],
        lambda: last_day(database) is not None,
        "seals that were signed",
    )


@contextmanager
def service_database(config: Config) -> Iterator[Database]:
    """Give the database as the service, with this release's schema, or end plainly."""
    with (
        plainly(),
        database_urls(config, lambda line: click.echo(line, err=True)) as urls,
    ):
        database = Database(urls.service)
        try:
            schema.check(database)
            yield database
        finally:
            database.close()


@contextmanager
def owners_database(config: Config) -> Iterator[Database]:
    """Give the database as its owner, with this release's schema, or end plainly."""
    with (
        plainly(),
        database_urls(config, lambda line: click.echo(line, err=True)) as urls,
    ):
        database = Database(urls.owner, role=None)
        try:
            schema.check(database)
            yield database
        finally:
            database.close()
