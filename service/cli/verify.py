"""`upcard verify`: check a finished round, from a proof or from the database."""

import sys
from pathlib import Path
from typing import Final
from uuid import UUID

import click
import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from service.archive.files import Archive, Archived
from service.audit import Report, verify
from service.cli.environment import config_or_exit, service_database
from service.cli.inspecting import verify_all
from service.config import Config
from service.proof import Json, ProofFault, Row, proof_of
from service.sealing import KeyRing, SealBroken
from service.store.database import Database
from service.store.inspection import keep_moment
from service.store.log import load
from service.store.lookup import log_of
from service.store.moved import money_of
from service.store.tables import all_table_versions

_ENDS: Final = {"round_settled/1", "round_voided/1", "round_malfunctioned/1"}
_NARROW: Final = 100
"""Columns that a report takes where the terminal does not say how many it has."""


@click.command("verify")
@click.argument("what", metavar="[ROUND|FILE|-]", required=False)
@click.option("--all", "everything", is_flag=True, help="Check every round there is.")
@click.option(
    "--against",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="With --all: the folder of `upcard seals export`, kept elsewhere.",
)
@click.option(
    "--key",
    "keys",
    multiple=True,
    help="With --all: trust seals of this public key, not those of UPCARD_SEAL_KEYS.",
)
def command(
    *, what: str | None, everything: bool, against: Path | None, keys: tuple[str, ...]
) -> None:
    """Check that a finished round was dealt and paid as promised, or all of them.

    FILE is its proof, as GET /v1/rounds/ROUND/proof serves it (- reads it from the
    standard input): checked with nothing but this program. ROUND is an id: the proof
    is then made from the database. With --all each round of the database is checked,
    open ones as far as they are, and that the daily seals know it so; one line tells of
    each thing that is not as it was written. Ends with 1 if a check fails.
    """
    if everything == (what is not None) or ((against or keys) and not everything):
        raise click.UsageError("give a ROUND, a FILE or --all, and one of them")
    if what is None:
        raise SystemExit(0 if verify_all(against, keys) else 1)
    round_id = _id_of(what)
    document = _from_file(what) if round_id is None else _from_database(round_id)
    report = verify(document)
    _show(report)
    raise SystemExit(0 if report.ok else 1)


def _id_of(what: str) -> str | None:
    """Return an id in its canonical text, None for something else."""
    try:
        return str(UUID(what))
    except ValueError:
        return None


def _from_file(name: str) -> object:
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        found: object = orjson.loads(raw)
    except OSError as error:
        reason = error.strerror or "can't be read"
        raise click.ClickException(
            f"{name}: {reason} (and it is no round's id)"
        ) from None
    except orjson.JSONDecodeError as error:
        raise click.ClickException(f"{name}: is not JSON: {error}") from None
    return found


def _from_database(round_id: str) -> Json:
    config = config_or_exit()
    with service_database(config) as database, database.patiently():
        # An archiver may take the round away between two looks.
        keep_moment(database)
        return _proof(database, config, round_id)


def _proof(database: Database, config: Config, round_id: str) -> Json:
    """Make a proof of the rows as they are, without folding: they may be forged."""
    account, archived = _whereabouts(database, config, round_id)
    rows = load(database, account, round_id, None).rows
    if archived is not None:
        rows = [*archived.rows, *rows]
    if not rows:
        raise click.ClickException(f"round {round_id}: its log is missing")
    try:
        opened = Row(*rows[0][2:]).events()[0]
        last = {event["type"] for event in Row(*rows[-1][2:]).events()}
    except ProofFault as fault:
        raise click.ClickException(f"round {round_id}: {fault}") from None
    if not last & _ENDS:
        raise click.ClickException(
            f"round {round_id} is not over: its shoe is told when it is"
        )
    shoe_id = _id_of(str(opened.get("shoe_id")))
    if shoe_id is None:
        raise click.ClickException(f"round {round_id}: row 1 names no shoe")
    sealed = archived.shoe if archived else None
    sealed = sealed or load(database, account, round_id, shoe_id).shoe
    if sealed is None:
        raise click.ClickException(f"round {round_id}: its shoe {shoe_id} is missing")
    try:
        shoe = KeyRing.from_file(config.shoe_keys).open(sealed, account, shoe_id)
    except SealBroken as broken:
        raise click.ClickException(f"round {round_id}: {broken}") from None
    sources = {row.version: row.source for row in all_table_versions(database)}
    source = sources.get(str(opened.get("table_version")), "")
    return proof_of(rows, shoe, source, money_of(database, account, round_id))


def _whereabouts(
    database: Database, config: Config, round_id: str
) -> tuple[str, Archived | None]:
    """Return the account of a round, and the round itself if its log is in a file."""
    found = log_of(database, round_id)
    if found is None:
        raise click.ClickException(f"there is no round {round_id} in this database")
    account, file = found
    if file is None:
        return account, None
    if config.archive is None:
        raise click.ClickException(
            f"round {round_id} is archived in {file}: set UPCARD_ARCHIVE"
        )
    return account, Archive(config.archive).find(file, round_id)


def _show(report: Report) -> None:
    """Print the checks; nothing in a proof can move the cursor or set colours."""
    table = Table(box=None, pad_edge=False)
    for heading in ("check", "result", "where"):
        table.add_column(heading, no_wrap=heading == "result", overflow="fold")
    for check in report.checks:
        where = "".join(char if char.isprintable() else "?" for char in check.where)
        result = Text("ok", "green") if check.ok else Text("FAILED", "bold red")
        table.add_row(Text(check.name), result, Text(where))
    console = Console()
    if not console.is_terminal:
        console = Console(width=_NARROW)
    console.print(table)
    failed = sum(not check.ok for check in report.checks)
    console.print(
        Text("The round is proved." if report.ok else f"NOT PROVED: {failed} failed.")
    )
