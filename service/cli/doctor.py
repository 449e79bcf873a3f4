"""`upcard doctor`: look at an installation, change nothing, say what to do."""

import os
import platform
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

import click

from service import __version__
from service.cli.environment import program
from service.cli.listening import address_of, answers
from service.config import Config, ConfigError, misspelt
from service.embedded.access import database_urls
from service.embedded.errors import EmbeddedFault
from service.embedded.home import Home
from service.keyfile import KeyFault, KeyFile
from service.store import counter
from service.store.archive import archive_files
from service.store.database import Database
from service.store.errors import StoreError
from service.store.health import Health, health
from service.store.schema import check, migrations
from service.store.tables import all_table_versions
from service.tablefile import TableFault, parse_table

OLDEST_PYTHON: Final = (3, 11)
NEWEST_PYTHON: Final = (3, 13)
POSTGRESQL: Final = range(15, 19)
OTHERS_MAY: Final = stat.S_IRWXG | stat.S_IRWXO
COLOURS: Final = {"ok": "green", "note": "cyan", "problem": "red"}


class Finding(NamedTuple):
    """What one look has shown; a problem comes with what to do about it."""

    verdict: Literal["ok", "note", "problem"]
    subject: str
    detail: str
    remedy: str = ""


@click.command("doctor")
@click.pass_context
def command(context: click.Context) -> None:
    """Look at the installation and say what is wrong and what to do.

    Nothing is changed. Ends with status 1 if there is a problem. An embedded database
    that is not running is started for the look and stopped after it.
    """
    problems = 0
    for finding in findings():
        problems += finding.verdict == "problem"
        mark = click.style(f"{finding.verdict:8}", fg=COLOURS[finding.verdict])
        first, *more = finding.detail.splitlines()
        if finding.remedy:
            more.append(f"-> {finding.remedy}")
        click.echo(f"{mark} {finding.subject:12} {first}")
        for line in more:
            click.echo(f"{'':21} {line.strip()}")
    click.echo(f"{problems or 'No'} problem{'' if problems == 1 else 's'} found.")
    context.exit(1 if problems else 0)


def findings() -> Iterator[Finding]:
    """Look at one thing after the other; the later need the earlier."""
    yield Finding("ok", "upcard", __version__)
    yield look_at_python(sys.version_info[:2])
    try:
        config = Config.from_environment()
    except ConfigError as error:
        for fault in error.faults:
            yield Finding("problem", "settings", fault, "change the variable")
        return
    yield look_at_settings(config)
    for name, meant in misspelt(os.environ).items():
        detail = f"{name} is no setting, and nothing reads it"
        yield Finding("note", "settings", detail, f"did you mean {meant}?")
    used = config.database_url is None and Home(config.home).data.exists()
    yield look_at_keys("token keys", config.token_keys, used=used)
    yield look_at_keys("shoe keys", config.shoe_keys, used=used)
    yield look_at_keys("seal keys", config.seal_keys, used=used)
    yield from look_at_database(config)
    yield look_at_server(config)


def look_at_python(version: tuple[int, ...]) -> Finding:
    """See that this Python is one that Upcard is tested with."""
    if OLDEST_PYTHON <= version <= NEWEST_PYTHON:
        return Finding("ok", "python", platform.python_version())
    return Finding(
        "problem",
        "python",
        f"{platform.python_version()} is not one of those that Upcard is tested with",
        "make distclean, then make serve PYTHON=python3.13 (or 3.11, 3.12)",
    )


def look_at_settings(config: Config) -> Finding:
    """Show what is in force."""
    wins = [f"{code} {amount}" for code, amount in sorted(config.large_wins.items())]
    wins.append(f"{config.large_win_multiple} times the table's maximum")
    at_once = f"{config.workers} workers of {config.threads} threads"
    lines = (
        f"{config.environment}, home {config.home}, {at_once} on {config.bind}",
        f"players are sent to {config.launch_url or '/play of the address asked'}",
        f"archived rounds are read in {config.archive or 'no folder'}",
        f"requests are {'' if config.log_requests else 'not '}logged",
        f"decided rounds are settled after {config.settle_grace} s",
        f"a large win is {', else '.join(wins)}",
        f"own limits' weeks start on {config.limit_weekday} in {config.limit_zone}",
    )
    return Finding("ok", "settings", "\n".join(lines))


def look_at_keys(subject: str, path: Path, *, used: bool) -> Finding:
    """See that a key file is there, right, and for its owner's eyes only.

    `used`: the embedded database is there, so that its keys should be, too.
    """
    try:
        mode = path.stat().st_mode
        keys = KeyFile.from_file(path)
    except FileNotFoundError:
        if used:
            detail = f"{path} is missing beside the database"
            return Finding("problem", subject, detail, "put it back from your backup")
        return Finding(
            "note", subject, f"{path} is made by the first `{program()} serve`"
        )
    except PermissionError:
        remedy = "run this as the user that serves"
        return Finding("problem", subject, f"{path} may not be read", remedy)
    except KeyFault as fault:
        remedy = "put the file back from your backup; see service/keyfile.py"
        return Finding("problem", subject, str(fault), remedy)
    if mode & OTHERS_MAY:
        detail = f"{path} is open to other users"
        return Finding("problem", subject, detail, f"chmod 600 {path}")
    return Finding("ok", subject, f"{path}, current {keys.current!r}")


def look_at_database(config: Config) -> Iterator[Finding]:
    """See that the database answers and is as the service needs it."""
    if config.database_url is None and not Home(config.home).data.exists():
        yield Finding("note", "database", f"is made by the first `{program()} serve`")
        return
    try:
        with database_urls(config, lambda line: click.echo(line, err=True)) as urls:
            database = Database(urls.service)
            try:
                yield look_at_postgresql(health(database), config)
                schema = look_at_schema(database)
                yield schema
                if schema.verdict == "ok":
                    yield look_at_tables(database)
                    yield look_at_archive(database, config.archive)
            finally:
                database.close()
    except (EmbeddedFault, StoreError) as error:
        remedy = "start the server that DATABASE_URL names, or unset it"
        if config.database_url is None:
            remedy = f"read {Home(config.home).log}"
        yield Finding("problem", "database", str(error).strip(), remedy)


def look_at_postgresql(found: Health, config: Config) -> Finding:
    """See the release, the encoding, the durability and the room for connections."""
    needed = config.workers * config.threads
    if found.release not in POSTGRESQL:
        detail = f"PostgreSQL {found.release} is not one of 15 to 18"
        return Finding("problem", "database", detail, "use one of these releases")
    if found.encoding != "UTF8":
        detail = f"its encoding is {found.encoding}"
        return Finding("problem", "database", detail, "create it with ENCODING 'UTF8'")
    if not found.durable:
        return Finding(
            "problem",
            "database",
            "a power cut would lose acknowledged commands",
            "set fsync, full_page_writes and synchronous_commit to on",
        )
    if needed > found.connections:
        return Finding(
            "problem",
            "database",
            f"the service needs {needed} connections, {found.connections} are allowed",
            "raise max_connections, or lower UPCARD_WORKERS or UPCARD_THREADS",
        )
    whose = "DATABASE_URL" if config.database_url else "embedded"
    return Finding("ok", "database", f"PostgreSQL {found.release}, {whose}")


def look_at_schema(database: Database) -> Finding:
    """See that the schema is this release's."""
    try:
        check(database)
        counter.check(database)
    except StoreError as error:
        return Finding("problem", "schema", str(error), f"{program()} migrate")
    return Finding("ok", "schema", f"{migrations()[-1].label} is the last migration")


def look_at_tables(database: Database) -> Finding:
    """See that tables are loaded and still read."""
    try:
        versions = all_table_versions(database)
        names = sorted({parse_table(v.source, v.table_id).table_id for v in versions})
    except (StoreError, TableFault) as error:
        return Finding("problem", "tables", str(error), f"{program()} tables list")
    if not names:
        return Finding(
            "problem", "tables", "none is loaded", f"{program()} tables load"
        )
    return Finding("ok", "tables", ", ".join(names))


def look_at_server(config: Config) -> Finding:
    """See whether a server answers where this one would listen."""
    address = address_of(config.bind)
    if not answers(address, "/livez"):
        return Finding("note", "server", f"none answers on {config.bind}")
    if answers(address, "/readyz"):
        return Finding("ok", "server", f"answers on {config.bind} and is ready")
    return Finding(
        "problem",
        "server",
        f"answers on {config.bind}, and says that it is not ready",
        f"read its log, and what http://{config.bind}/readyz says",
    )


def look_at_archive(database: Database, folder: Path | None) -> Finding:
    """See that every file that rounds have gone to is there."""
    # The folder first: what gets its place in the database meanwhile is no stray file.
    there = {path.name for path in folder.glob("*.jsonl.gz")} if folder else set()
    known = {file.name for file in archive_files(database)}
    if folder is None:
        if not known:
            return Finding("ok", "archive", "every round is in the database")
        detail = f"{len(known)} files; their rounds can't be shown here"
        remedy = "set UPCARD_ARCHIVE to the folder that they are in"
        return Finding("note", "archive", detail, remedy)
    if missing := sorted(known - there):
        detail = f"{folder} lacks {len(missing)} files, {missing[0]} among them"
        return Finding("problem", "archive", detail, "bring them back from a backup")
    if left := sorted(there - known):
        detail = f"{folder} has {len(left)} files of no round, {left[0]} among them"
        remedy = (
            "a run goes on or was cut short: run upcard archive, and delete only what "
            "is still named then, with no run going on"
        )
        return Finding("note", "archive", detail, remedy)
    return Finding("ok", "archive", f"{len(known)} files")
