"""`upcard jobs`: what is to be done that nobody waits for."""

import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import click
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress
from structlog.typing import FilteringBoundLogger

from service.api.log import open_log
from service.catalog import Catalog
from service.chance import OsShuffler
from service.cli.environment import (
    config_or_exit,
    ensure_seal_keys,
    service_database,
)
from service.config import Config
from service.house import House
from service.jobs.ending import SETTLE, VOID
from service.jobs.jackpots import Jackpots
from service.jobs.job import Job, Note, run_once, run_until
from service.jobs.nonces import Nonces
from service.jobs.rounds import Rounds
from service.jobs.seal import Seals
from service.jobs.wallet_calls import WalletCalls
from service.meters import Meters
from service.operators import OperatorKeys
from service.play import Play
from service.sealing import KeyRing
from service.seals.seal import SealKeys
from service.store.database import Database
from service.wallet.calls import Calls
from service.wallet.notable import Watch
from service.wallet.wallets import Wallets

_COLUMNS: Final = (
    *Progress.get_default_columns(),
    MofNCompleteColumn(),
)
_DRY: Final = click.option(
    "--dry-run", is_flag=True, help="Say what waits, and do nothing."
)


@click.group("jobs")
def command() -> None:
    """Do what nobody waits for: deliver payouts, end rounds that were left.

    Jobs may run in several places at once and be killed at any time: what was begun is
    done once, by whoever comes next. A service without any takes stakes and deals, and
    owes payouts that a wallet did not take at once, and rounds that nobody ended.

    Keep `upcard jobs run` running, best twice, or let a timer start `upcard jobs run
    --once` every minute. Each job can be run alone, too, and says beforehand what it
    would do: --dry-run. On a terminal they show how far they are; elsewhere they write
    a line of JSON for each pass in which something was done (standard error).
    """


@command.command()
@click.option("--once", is_flag=True, help="Do what is due now, and end.")
@_DRY
def run(*, once: bool, dry_run: bool) -> None:
    """Run all jobs, until Ctrl-C or a SIGTERM."""
    _run(None, once=once, dry_run=dry_run)


@command.command("wallet-calls", short_help="Make the calls to wallets that are due.")
@_DRY
def wallet_calls(*, dry_run: bool) -> None:
    """Make the calls to operators' wallets that are due, and end.

    Credits, refunds, rollbacks and ends of rounds that were not acknowledged yet; and
    debits whose answer is not known.
    """
    _run(WalletCalls.name, once=True, dry_run=dry_run)


@command.command(VOID.name)
@_DRY
def void_expired(*, dry_run: bool) -> None:
    """End the undecided rounds whose time is over, and end.

    A round's time is over `void_after_days` after its deal (90 days, unless its table
    says otherwise), whatever was done in it since. From that moment the service refuses
    every move in it by itself. What this job then does is the table's `on_expiry`:

    \b
    void        what is decided keeps its result; all else goes back
    auto_stand  every hand stands and the dealer plays; see settle-abandoned
    forfeit     as void, but what would go back is kept

    Each round is ended and paid exactly once, in one transaction, some at a time; a
    refund of a seamless wallet's player goes out with wallet-calls. A round whose stake
    waits for its wallet's answer is left until the answer is known (wallet-calls). One
    that can't be read is logged as `job_fault`, with its table version, and passed
    over: load that version again (upcard tables load) or ask the makers of Upcard.

    Run it as often as you like: a run that was missed is made up by the next one.
    --dry-run counts the rounds by table, and what they would be refunded.
    """  # noqa: D301 - click's sign for lines that stay as they are
    _run(VOID.name, once=True, dry_run=dry_run)


@command.command(SETTLE.name)
@_DRY
def settle_abandoned(*, dry_run: bool) -> None:
    """Settle the decided rounds that nobody settles, and end.

    Once nothing is left to decide a round only waits to be paid, and never expires. A
    player whose device dies just then is paid by this job, some seconds later: 60,
    unless UPCARD_SETTLE_GRACE_SECONDS says otherwise.
    """
    _run(SETTLE.name, once=True, dry_run=dry_run)


@command.command(short_help="Add the last bonus wagers to the meters.")
@_DRY
def jackpots(*, dry_run: bool) -> None:
    """Add the bonus wagers of the last deals to the jackpots' meters, and end.

    What is shown counts them from the moment of the deal; this keeps them few.
    """
    _run(Jackpots.name, once=True, dry_run=dry_run)


@command.command(short_help="Delete old numbers of signed requests.")
@_DRY
def nonces(*, dry_run: bool) -> None:
    """Delete the numbers of signed requests that are too old to matter, and end."""
    _run(Nonces.name, once=True, dry_run=dry_run)


@command.command(short_help="Seal the log of the day that is over.")
@_DRY
def seal(*, dry_run: bool) -> None:
    """Seal the log of the day that is over, unless it is sealed, and end.

    A seal is the root of a Merkle tree over all rounds that changed since the former
    one, signed with UPCARD_SEAL_KEYS. `upcard seals` lists and exports them.
    """
    _run(Seals.name, once=True, dry_run=dry_run)


def _run(name: str | None, *, once: bool, dry_run: bool) -> None:
    """Run the job of that name, or all of them."""
    config = config_or_exit()
    console = Console()
    log = open_log(requests=not console.is_terminal)
    with service_database(config) as database:
        jobs = _jobs(config, database, log)
        chosen = [job for job in jobs if name in {None, job.name}]
        if dry_run:
            for job in chosen:
                for line in job.look():
                    click.echo(f"{job.name}: {line}")
            return
        with _told(console, chosen, once=once) as note:
            if not once:
                run_until(_stopped(), chosen, log, note)
            elif not run_once(chosen, log, note):
                raise click.ClickException("a job failed; the log says which")


def _jobs(config: Config, database: Database, log: FilteringBoundLogger) -> list[Job]:
    """Return all jobs, in the order in which they are run."""
    catalog = Catalog(database)
    ring = KeyRing.from_file(config.shoe_keys)
    ensure_seal_keys(config, database)
    watch = Watch(*config.large_win)
    calls = Calls(OperatorKeys(database, ring), log)
    wallets = Wallets(database, calls, watch=watch)
    parts = (database, catalog, wallets, ring, OsShuffler(), Meters(database))
    house = House(*parts)
    return [
        WalletCalls(database, wallets, Play(house), log),
        Rounds(house, VOID, 0, log),
        Rounds(house, SETTLE, config.settle_grace, log),
        Jackpots(database, house.meters),
        Nonces(database),
        Seals(database, SealKeys.from_file(config.seal_keys)),
    ]


@contextmanager
def _told(console: Console, jobs: Sequence[Job], *, once: bool) -> Iterator[Note]:
    """Give what is told of each thing that is done; summed up at the end.

    Off a terminal a run without end says nothing: it has its log.
    """
    done: Counter[str] = Counter()
    if not console.is_terminal:
        yield _counting(done, lambda _: None)
        if once:
            click.echo(_summary(done))
        return
    match jobs:
        case [Rounds() as job]:
            with Progress(*_COLUMNS, console=console, transient=True) as progress:
                bar = progress.add_task(job.name, total=job.count())
                yield _counting(done, lambda _: progress.advance(bar))
        case _:
            with console.status("nothing was due yet") as status:
                yield _counting(done, status.update)
    console.print(_summary(done))


def _counting(done: Counter[str], show: Callable[[str], None]) -> Note:
    def note(word: str) -> None:
        done[word] += 1
        show(_summary(done))

    return note


def _summary(done: Counter[str]) -> str:
    words = [f"{count} {word}" for word, count in done.items()]
    return ", ".join(words) or "nothing was due"


def _stopped() -> threading.Event:
    """Return an event that Ctrl-C or a SIGTERM sets."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop
