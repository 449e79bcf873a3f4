"""`upcard malfunction`: take back all rounds of a table version in a span of time."""

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import click
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress
from structlog.typing import FilteringBoundLogger

from service.api.log import open_log
from service.archive.files import Archive
from service.catalog import Catalog
from service.chance import OsShuffler
from service.changes import Actor, disable_table
from service.cli.acting import actor
from service.cli.environment import config_or_exit, service_database
from service.cli.named import check_operator
from service.config import Config
from service.house import House
from service.malfunction import malfunction
from service.meters import Meters
from service.operators import OperatorKeys
from service.recorded import Ask
from service.refusals import NotAllowed
from service.sealing import KeyRing
from service.store.database import Database
from service.store.errors import ArchiveUnavailable
from service.store.lookup import Played, Span, rounds_in
from service.store.operators import all_operators
from service.store.tables import all_table_versions
from service.wallet.calls import Calls
from service.wallet.notable import Watch
from service.wallet.wallets import OperatorUnknown, Wallets

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_COLUMNS: Final = (*Progress.get_default_columns(), MofNCompleteColumn())


class _Wish(NamedTuple):
    """What was typed."""

    span: Span
    reason: str
    disable: bool
    dry_run: bool


@click.command("malfunction")
@click.option("--table", required=True, metavar="ID", help="The table.")
@click.option("--version", required=True, help="Its version, or how that begins.")
@click.option("--from", "since", required=True, metavar="TIME", help="Opened then.")
@click.option("--to", "until", required=True, metavar="TIME", help="Opened before.")
@click.option(
    "--reason",
    "--why",
    "reason",
    required=True,
    metavar="TEXT",
    help="Players can read it.",
)
@click.option("--operator", metavar="NAME", help="Only this operator's rounds.")
@click.option("--disable", is_flag=True, help="And offer the table to nobody.")
@click.option("--dry-run", is_flag=True, help="Say what would be taken back.")
def command(  # noqa: PLR0913 - one parameter an option
    *,
    table: str,
    version: str,
    since: str,
    until: str,
    reason: str,
    operator: str | None,
    disable: bool,
    dry_run: bool,
) -> None:
    """Take back all rounds of a table version that were opened in a span of time.

    Stakes come back and what was paid is taken back, whatever a round has come to; what
    a player has too little for he owes. A round is taken back once: run it again after
    it was cut short. Times are UTC, such as 2026-03-01T18:00.
    """
    who = actor(reason)
    times = (_time("--from", since), _time("--to", until))
    if times[0] >= times[1]:
        raise click.UsageError("--from must be before --to")
    if not version:
        raise click.UsageError("--version is the version, or its first letters")
    config = config_or_exit()
    with service_database(config) as database:
        check_operator(database, operator)
        found = _version(database, table, version)
        span = Span(table, found, *times, operator)
        wish = _Wish(span, reason, disable, dry_run)
        _taken_back(config, database, wish, who)


def _taken_back(config: Config, database: Database, wish: _Wish, who: Actor) -> None:
    console = Console()
    log = open_log(requests=not console.is_terminal)
    house = _house(config, database, log)
    if wish.disable and not wish.dry_run:
        _disable(house, who, wish.span)
    rounds = rounds_in(database, wish.span)
    if wish.dry_run:
        _tell(rounds)
        return
    done: Counter[str] = Counter()
    with Progress(*_COLUMNS, console=console, disable=not console.is_terminal) as shown:
        for played in shown.track(rounds, description="rounds"):
            done[_one(house, played, wish.reason, who)] += 1
    words = ", ".join(f"{count} {word}" for word, count in done.items())
    click.echo(words or "no round was opened then, or all were taken back before")
    if done["faulty"]:
        raise click.ClickException("some could not be taken back; they are named above")


def _one(house: House, played: Played, reason: str, who: Actor) -> str:
    """Take one round back; say in a few words what came of it."""
    account, round_id, operator, mode = played[:4]
    try:
        rows = house.load(account, round_id, None).rows
    except ArchiveUnavailable as away:
        click.echo(f"round {round_id}: {away}")
        return "faulty"
    request = hashlib.sha256(reason.encode()).digest()
    ask = Ask(
        account=account,
        player=rows[0].player,
        key=who.who,
        request=request,
        operator=operator,
        mode="demo" if mode == "demo" else "real",
        signed_by=who.who,
    )
    try:
        malfunction(house, ask, round_id, reason)
    except NotAllowed:
        return "taken back before"
    except OperatorUnknown:
        click.echo(f"round {round_id}: there is no operator {operator} any more")
        return "faulty"
    return "taken back"


def _tell(rounds: Sequence[Played]) -> None:
    """Say what would be taken back, by operator, kind of money and status."""
    count = Counter((one.operator, one.mode, one.status) for one in rounds)
    for (operator, mode, status), number in sorted(count.items()):
        click.echo(f"{operator}: {number} {status}, {mode} money")
    click.echo(f"{len(rounds)} would be taken back")


def _disable(house: House, who: Actor, span: Span) -> None:
    table = house.catalog.table(span.table_id)
    names = [row.operator for row in all_operators(house.database)]
    for name in names if span.operator is None else [span.operator]:
        disable_table(house.database, who, name, table)
        click.echo(f"{span.table_id} is disabled for {name}")


def _house(config: Config, database: Database, log: FilteringBoundLogger) -> House:
    ring = KeyRing.from_file(config.shoe_keys)
    calls = Calls(OperatorKeys(database, ring), log)
    wallets = Wallets(database, calls, watch=Watch(*config.large_win))
    parts = (Catalog(database), wallets, ring, OsShuffler(), Meters(database))
    archive = None if config.archive is None else Archive(config.archive)
    return House(database, *parts, archive=archive)


def _version(database: Database, table: str, begins: str) -> str:
    versions = {
        row.version for row in all_table_versions(database) if row.table_id == table
    }
    found = [version for version in sorted(versions) if version.startswith(begins)]
    if len(found) != 1:
        what = "no version" if not found else f"{len(found)} versions"
        raise click.ClickException(
            f"{what} of {table} that begins with {begins}; see: upcard tables list"
        )
    return found[0]


def _time(option: str, text: str) -> int:
    """Return a time in microseconds since 1970 UTC."""
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise click.UsageError(f"{option} is a time such as 2026-03-01T18:00") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return (moment - _EPOCH) // _MICROSECOND
