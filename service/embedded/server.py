"""Run the embedded PostgreSQL: make the cluster once, start, await, stop.

Nothing here is in a hurry with a server that recovers: as long as it lives it gets
the time that it needs. PostgreSQL listens on a socket in a folder that only its user
(and root) may enter, and on no network address; that folder is the authentication.
"""

import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

import psycopg

from service.embedded import binaries
from service.embedded.account import Account
from service.embedded.cluster import ENVIRONMENT, clear_former, make_cluster
from service.embedded.errors import EmbeddedFault
from service.embedded.home import Home
from service.embedded.launch import launch

NAME: Final = "upcard"
"""The name of the owner and of the database."""

_SETTINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "listen_addresses": "",
        "unix_socket_permissions": "0700",
        "port": "5432",
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "max_connections": "100",
        "log_timezone": "UTC",
        "timezone": "UTC",
        # A lost race is an error to PostgreSQL and daily bread here; the row's
        # values have no place in a log file.
        "log_error_verbosity": "terse",
        "log_min_error_statement": "panic",
    }
)
_PAUSE: Final = 0.02
"""Seconds between two looks at a server that starts."""
_SAY_SECONDS: Final = 2.0
"""Seconds from which a start is a recovery, and worth a word."""
_STOP_PATIENCE: Final = 60.0
"""Seconds until a server that was asked to stop is told to."""
_START_PATIENCE: Final = 60.0
"""Seconds for the last processes of a killed server to leave its memory."""
_TAIL_BYTES: Final = 2000
_LOG_BYTES: Final = 8_000_000


class Server:
    """The PostgreSQL of one home. Not for several threads at once.

    The caller holds `home.locked()` for as long as the server runs.
    """

    def __init__(
        self,
        home: Home,
        say: Callable[[str], None],
        settings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.home: Final = home
        self._say = say
        self._settings = {**_SETTINGS, **settings}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def dsn(self) -> str:
        """Where to connect, as owner; it holds no password."""
        return dsn(self.home)

    @property
    def pid(self) -> int:
        """The postmaster's process id."""
        if self._process is None:
            raise EmbeddedFault("the embedded PostgreSQL is not started")
        return self._process.pid

    def start(self) -> None:
        """Make the cluster if there is none, start it, and wait until it answers.

        Raises:
            EmbeddedFault: it did not start; the message holds what it said.
        """
        account = Account.for_server()
        self.home.prepare(account)
        programs = binaries.programs(self.home, account)
        make_cluster(self.home, account, programs, self._say)
        clear_former(self.home, self._say)
        deadline, told = time.monotonic() + _START_PATIENCE, False
        while (said := self._try(account, programs)) is not None:
            if "still in use" not in said or time.monotonic() > deadline:
                raise EmbeddedFault(
                    f"PostgreSQL did not start; {self.home.log} ends with:\n{said}"
                )
            if not told:
                self._say("waiting for processes of the killed PostgreSQL to end ...")
                told = True
            time.sleep(_PAUSE)

    def ended(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds for the server's end; say whether it came."""
        if self._process is None:
            return True
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        return True

    def stop(self) -> None:
        """Stop: at once for connected clients, with a checkpoint for the data."""
        if self._process is None:
            return
        # SIGINT is PostgreSQL's fast shutdown, SIGQUIT leaves without a checkpoint.
        for how in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            self._process.send_signal(how)
            if self.ended(_STOP_PATIENCE):
                break
        self._process = None

    def _try(self, account: Account, programs: Path) -> str | None:
        """Start once; None when it answers, else what it said before it ended."""
        settings = {**self._settings, "unix_socket_directories": self.home.sockets}
        arguments = [
            x for pair in settings.items() for x in ("-c", "=".join(map(str, pair)))
        ]
        begin = _shortened(self.home.log)
        with self.home.log.open("ab") as output:
            self._process = launch(
                [programs / "postgres", "-D", self.home.data, *arguments],
                signal.SIGINT,
                account=account,
                output=output,
                environment=ENVIRONMENT,
            )
        begun, told = time.monotonic(), False
        while not self.ended(_PAUSE):
            try:
                with psycopg.connect(dsn(self.home, "postgres"), autocommit=True) as db:
                    _make_database(db)
            except psycopg.OperationalError:  # no socket yet, or it is starting up
                if not told and time.monotonic() - begun > _SAY_SECONDS:
                    self._say("recovering what it had not yet written ...")
                    told = True
            else:
                return None
        self._process = None
        return _tail(self.home.log, begin)


def dsn(home: Home, database: str = NAME) -> str:
    """Return the connection URL of the home's server, running or not.

    >>> dsn(Home(Path("/srv/upcard")))
    'postgresql://upcard@/upcard?host=%2Fsrv%2Fupcard%2Fpostgresql%2Frun'
    """
    folder = quote(str(home.sockets), safe="")
    return f"postgresql://{NAME}@/{database}?host={folder}"


def _make_database(db: psycopg.Connection) -> None:
    """Make the database; here and not after initdb, for that may be cut short."""
    found = db.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME])
    if found.fetchone() is None:
        db.execute(f"CREATE DATABASE {NAME}")


def _shortened(log: Path) -> int:
    """Put a long log away as `.1`; return where the next start's lines begin."""
    size = log.stat().st_size if log.exists() else 0
    if size <= _LOG_BYTES:
        return size
    log.replace(log.with_suffix(".log.1"))
    log.touch(0o600)
    return 0


def _tail(log: Path, begin: int) -> str:
    """Return the end of what was written to `log` after `begin`."""
    return log.read_bytes()[begin:][-_TAIL_BYTES:].decode("utf-8", "replace").strip()
