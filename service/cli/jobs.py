"""`upcard jobs`: what is to be done that nobody waits for."""

import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import click
from rich.console import Console
from structlog.typing import FilteringBoundLogger

from service.api.log import open_log
from service.catalog import Catalog
from service.chance import OsShuffler
from service.cli.environment import config_or_exit, ensure_seal_keys, plainly
from service.config import Config
from service.embedded.access import database_urls
from service.house import House
from service.jobs.job import Job, Note, run_once, run_until
from service.jobs.nonces import Nonces
from service.jobs.seal import Seals
from service.jobs.wallet_calls import WalletCalls
from service.operators import OperatorKeys
from service.play import Play
from service.sealing import KeyRing
from service.seals.seal import SealKeys
from service.store import schema
from service.store.database import Database
from service.wallet.calls import Calls
from service.wallet.wallets import Wallets

_DRY: Final = click.option(
    "--dry-run", is_flag=True, help="Say what waits, and do nothing."
)


@click.group("jobs")
def command() -> None:
    """Do what nobody waits for: deliver payouts, finish what was cut short.

    Jobs may run in several places at once and be killed at any time. A service
    without any takes stakes and deals, and owes payouts that a wallet did not take at
    once.
    """


@command.command()
@click.option("--once", is_flag=True, help="Do what is due now, and end.")
@_DRY
def run(*, once: bool, dry_run: bool) -> None:
    """Run all jobs, until Ctrl-C or a SIGTERM."""
    _run(None, once=once, dry_run=dry_run)


@command.command("wallet-calls")
@_DRY
def wallet_calls(*, dry_run: bool) -> None:
    """Make the calls to operators' wallets that are due, and end.

    Credits, refunds, rollbacks and ends of rounds that were not acknowledged yet; and
    debits whose answer is not known.
    """
    _run(WalletCalls.name, once=True, dry_run=dry_run)


@command.command()
@_DRY
def nonces(*, dry_run: bool) -> None:
    """Delete the numbers of signed requests that are too old to matter, and end."""
    _run(Nonces.name, once=True, dry_run=dry_run)


@command.command()
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
    with plainly(), _database(config) as database:
        jobs = _jobs(config, database, log)
        chosen = [job for job in jobs if name in {None, job.name}]
        if dry_run:
            for job in chosen:
                for line in job.look():
                    click.echo(f"{job.name}: {line}")
            return
        with _told(console) as note:
            if not once:
                run_until(_stopped(), chosen, log, note)
            elif not run_once(chosen, log, note):
                raise click.ClickException("a job failed; the log says which")


def _jobs(config: Config, database: Database, log: FilteringBoundLogger) -> list[Job]:
    """Return all jobs, in the order in which they are run."""
    catalog = Catalog(database)
    ring = KeyRing.from_file(config.shoe_keys)
    ensure_seal_keys(config, database)
    wallets = Wallets(database, Calls(OperatorKeys(database, ring), log))
    play = Play(House(database, catalog, wallets, ring, OsShuffler()))
    seals = Seals(database, SealKeys.from_file(config.seal_keys))
    return [WalletCalls(database, wallets, play, log), Nonces(database), seals]


@contextmanager
def _database(config: Config) -> Iterator[Database]:
    def say(line: str) -> None:
        click.echo(line, err=True)

    with database_urls(config, say) as urls:
        database = Database(urls.service)
        try:
            schema.check(database)
            yield database
        finally:
            database.close()


@contextmanager
def _told(console: Console) -> Iterator[Note]:
    """Give what is told of each thing that is done; shown on a terminal alone."""
    done: Counter[str] = Counter()
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status("nothing was due yet") as status:
        yield _counting(done, status.update)
    console.print(_summary(done) if done else "nothing was due")


def _counting(done: Counter[str], show: Callable[[str], None]) -> Note:
    def note(word: str) -> None:
        done[word] += 1
        show(_summary(done))

    return note


def _summary(done: Counter[str]) -> str:
    return ", ".join(f"{count} {word}" for word, count in done.items())


def _stopped() -> threading.Event:
    """Return an event that Ctrl-C or a SIGTERM sets."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop
