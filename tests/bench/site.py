"""What is measured: the embedded PostgreSQL as `upcard serve` runs it, and gunicorn."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

from service.cli.jackpot_files import load_shipped_jackpots
from service.cli.listening import address_of, answers
from service.cli.serve import load_shipped_tables
from service.embedded.account import Account
from service.embedded.binaries import programs
from service.embedded.home import Home
from service.embedded.keys import ensure_keys
from service.embedded.server import Server
from service.store.database import Database
from service.store.operators import OperatorRow, add_operator
from service.store.schema import migrate
from tests.bench.load import BenchFault
from tests.support.postgres import fresh_home, quiet

ROOT: Final = Path(__file__).resolve().parents[2]
HELLO: Final = "tests.bench.hello:app"
WORKERS: Final = 2
_COUNTING: Final = MappingProxyType({"shared_preload_libraries": "pg_stat_statements"})
_PAUSE: Final = 0.05
OPERATOR: Final = "bench"
_LOOKS: Final = 600


class Site:
    """A home of its own with PostgreSQL, a schema, tables and keys, and gunicorns."""

    def __init__(
        self,
        home: Home,
        stack: ExitStack,
        settings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.home: Final = home
        self._stack = stack
        self.server = self._start(settings)
        migrate(self.server.dsn, quiet)
        ensure_keys([self.shoe_keys, self.token_keys], lambda: False)
        database = Database(self.server.dsn)
        load_shipped_tables(database, quiet)
        load_shipped_jackpots(database, quiet)
        database.close()
        owner = Database(self.server.dsn, role=None)
        add_operator(owner, OperatorRow(OPERATOR, "ledger", None, sandbox=False))
        owner.close()

    @property
    def shoe_keys(self) -> Path:
        return self.home.path / "secrets" / "shoe-keys.json"

    @property
    def token_keys(self) -> Path:
        return self.home.path / "secrets" / "token-keys.json"

    @property
    def pgbench(self) -> Path:
        return programs(self.home, Account.for_server()) / "pgbench"

    def count_statements(self) -> None:
        """Start PostgreSQL again, so that it counts; for no measurement of time."""
        self.server.stop()
        self.server = self._start(_COUNTING)

    def _start(self, settings: Mapping[str, str]) -> Server:
        server = Server(self.home, quiet, settings)
        self._stack.callback(server.stop)
        server.start()
        return server

    def gunicorn(self, *application: str) -> "Gunicorn":
        """Start gunicorn as deploy/ says; with its own application, or with another."""
        port = _free_port()
        environment = {
            **os.environ,
            "UPCARD_HOME": str(self.home.path),
            "UPCARD_BIND": f"127.0.0.1:{port}",
            "UPCARD_WORKERS": str(WORKERS),
            "DATABASE_URL": self.server.dsn,
        }
        output = self._stack.enter_context((self.home.path / "log").open("ab"))
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn"),
                *("-c", "deploy/gunicorn.conf.py", *application),
            ],
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=output,
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.terminate)
        return Gunicorn(process, port).await_ready("/" if application else "/readyz")


class Gunicorn:
    """A running gunicorn: its master's process id and its port."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self._process = process
        self.port: Final = port

    @property
    def pid(self) -> int:
        return self._process.pid

    def await_ready(self, path: str) -> "Gunicorn":
        address = address_of(f"127.0.0.1:{self.port}")
        for _ in range(_LOOKS):
            if answers(address, path):
                return self
            try:
                self._process.wait(_PAUSE)
            except subprocess.TimeoutExpired:
                continue
            raise BenchFault("gunicorn ended as it started")
        raise BenchFault(f"gunicorn does not answer {path}")


@contextmanager
def site() -> Iterator[Site]:
    """Make a site, and take it all down."""
    with fresh_home() as home, home.locked(), ExitStack() as stack:
        yield Site(home, stack)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
