"""`upcard serve`: everything that a round needs, with one command."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

import click

from service import shipped
from service.changes import add_operator, load_table
from service.cli.acting import actor
from service.cli.environment import config_or_exit, ensure_seal_keys, plainly
from service.cli.jackpot_files import load_shipped_jackpots
from service.cli.listening import address_of, answers, refuse_used_address
from service.cli.session import OPERATOR, listening_text, session_text
from service.config import Config
from service.embedded.access import Urls, own_urls
from service.embedded.home import Home
from service.embedded.keys import ensure_keys
from service.embedded.launch import launch
from service.embedded.server import Server
from service.operators import refuse_sandboxes
from service.store import counter, schema
from service.store.database import Database, clock
from service.store.operators import OperatorRow, all_operators
from service.store.rounds import holds_shoes
from service.store.tables import all_table_versions
from service.tablefile import parse_table, shipped_tables

_PAUSE: Final = 0.5
"""Seconds between two looks at the children."""
_READY_PAUSE: Final = 0.05
_STOP_PATIENCE: Final = 35.0
"""Seconds for requests under way; gunicorn itself gives them 30."""


@click.command("serve")
@click.option("--quiet", "-q", is_flag=True, help="Print no session.")
def command(*, quiet: bool) -> None:
    """Start the game server, and print a session to paste.

    Starts a PostgreSQL of its own in UPCARD_HOME, unless DATABASE_URL names one;
    brings its schema to this version and loads the tables that come with it; then
    listens on UPCARD_BIND. Ctrl-C stops it all. In production a table that is there
    stays as it is, and there is no session: it holds a player's token.
    """
    config = config_or_exit()
    # Both signals that ask for an end end the same way: the stack unwinds.
    for asked in (signal.SIGINT, signal.SIGTERM):  # a script's `&` ignores the first
        signal.signal(asked, signal.default_int_handler)
    with plainly():
        try:
            code = _serve(config, quiet=quiet)
        except KeyboardInterrupt:
            click.echo("\nstopped")
            code = 0
    raise SystemExit(code)


def _serve(config: Config, *, quiet: bool) -> int:
    """Start all, wait, stop all; return the exit code."""
    refuse_used_address(config.bind)
    with ExitStack() as stack:
        server: Server | None = None
        urls = own_urls(config)
        if urls is None:
            with _step("starting PostgreSQL") as say:
                home = Home(config.home)
                stack.enter_context(home.locked())
                server = Server(home, say, {"max_connections": _connections(config)})
                stack.callback(server.stop)
                server.start()
            urls = Urls(server.dsn, server.dsn)
        with _step("checking the schema") as say:
            schema.migrate(urls.owner, say)
            counter.catch_up(urls.owner, say)
        session = _prepare(config, urls)
        # From here on the workers write to the terminal too: whole lines only.
        click.echo(f"starting {config.workers} workers ...")
        gunicorn = stack.enter_context(_gunicorn(urls))
        if (code := _await_ready(config, gunicorn)) is not None:
            return code
        click.echo(listening_text(config.bind))
        if session and not quiet:
            click.echo(session)
        return _watch(gunicorn, server)


def _connections(config: Config) -> str:
    """Return how many connections there may be: one a thread, and some to look in."""
    return str(max(100, config.workers * (config.threads + 1) + 20))


def _prepare(config: Config, urls: Urls) -> str | None:
    """See that there are keys and tables; return the session, in development."""
    database = Database(urls.service)
    try:
        with _step("checking the keys") as say:
            keys = (config.shoe_keys, config.token_keys)
            for path in ensure_keys(keys, lambda: holds_shoes(database)):
                say(f"made {path},")
            ensure_seal_keys(config, database)
        with _step("loading the tables") as say:
            keep = config.environment == "production"
            load_shipped_tables(database, say, keep=keep)
            load_shipped_jackpots(database, say, keep=keep)
        if config.environment == "production":
            refuse_sandboxes(all_operators(database))
            return None
        add_development_operator(urls)
        return session_text(config, clock(database))
    finally:
        database.close()


def add_development_operator(urls: Urls) -> None:
    """See that the operator of `upcard token` exists, with a ledger of its own.

    Raises:
        DatabaseUnavailable: no answer.
    """
    owner = Database(urls.owner, role=None)
    row = OperatorRow(OPERATOR, "ledger", None, sandbox=False)
    add_operator(owner, actor("comes with Upcard"), row)
    owner.close()


def load_shipped_tables(
    database: Database, say: Callable[[str], None], *, keep: bool = False
) -> None:
    """Load each table of this release whose rules the database has not yet.

    With ``keep`` a table that is there stays as somebody loaded it: an upgrade changes
    no rules by itself.

    Raises:
        TableFault: a file is wrong.
        OffersAtOdds: an operator's limits contradict it.
        DatabaseUnavailable: no answer.
    """
    versions = all_table_versions(database)
    loaded = {row.version for row in versions}
    there = {row.table_id for row in versions if keep}
    for source, text in shipped_tables():
        table = parse_table(text, source)
        if table.version in loaded:
            continue
        if table.table_id in there:
            say(f"{table.table_id} stays as it is,")
        else:
            load_table(database, actor("comes with Upcard"), table, text)
            say(f"{table.table_id},")


@contextmanager
def _gunicorn(urls: Urls) -> Iterator[subprocess.Popen[bytes]]:
    """Run gunicorn; at the end let it finish what it has begun."""
    configuration = shipped("deploy/gunicorn.conf.py")
    gunicorn = launch(
        [sys.executable, "-m", "gunicorn", "-c", configuration],
        signal.SIGTERM,
        environment={**os.environ, "DATABASE_URL": urls.service},
    )
    try:
        yield gunicorn
    finally:
        gunicorn.terminate()
        try:
            gunicorn.wait(_STOP_PATIENCE)
        except subprocess.TimeoutExpired:
            gunicorn.kill()
            gunicorn.wait()


def _await_ready(config: Config, gunicorn: subprocess.Popen[bytes]) -> int | None:
    """Wait for /readyz; return gunicorn's exit code if it ended instead."""
    while not answers(address_of(config.bind), "/readyz"):
        try:
            return _ended(gunicorn.wait(_READY_PAUSE))
        except subprocess.TimeoutExpired:
            continue
    return None


def _watch(gunicorn: subprocess.Popen[bytes], server: Server | None) -> int:
    """Wait for gunicorn's end; start a PostgreSQL that died again."""
    while True:
        try:
            return _ended(gunicorn.wait(_PAUSE))
        except subprocess.TimeoutExpired:
            if server is not None and server.ended(0):
                click.echo("PostgreSQL ended unexpectedly; starting it again ...")
                server.start()
                click.echo("PostgreSQL is ready again")


def _ended(code: int) -> int:
    """Say how gunicorn ended, unasked; return its code as a shell would see it."""
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else "ended"
    click.echo(f"the HTTP server (gunicorn) {how}; stopping", err=True)
    return 128 - code if code < 0 else code or 1


@contextmanager
def _step(title: str) -> Iterator[Callable[[str], None]]:
    """Say that a step begins, what it has to say, and that it is done."""
    click.echo(f"{title} ... ", nl=False)
    try:
        yield lambda line: click.echo(f"{line} ", nl=False)
    except BaseException:
        click.echo()
        raise
    click.echo("ready")
