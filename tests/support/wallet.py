"""The example wallet of an operator, as a real process with a database of its own."""

import hashlib
import hmac
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import psycopg
import urllib3

from tests.support.waiting import until
from tests.tidy import ROOT

SECRET: Final = "wallet-key-of-the-tests"  # noqa: S105 - it opens nothing
EXAMPLE: Final = "examples.operator_wallet"
_PATIENCE: Final = 10.0


class WalletProcess:
    """A running wallet: where it is, and what a test needs to do behind it."""

    def __init__(self, dsn: str, program: Sequence[str], *options: str) -> None:
        self.dsn: Final = dsn
        self.port: Final = free_port()
        self.url: Final = f"http://127.0.0.1:{self.port}"
        self._program = program
        self._options = options
        self._pool = urllib3.PoolManager(maxsize=64, retries=False, timeout=_PATIENCE)
        self._process = self._started()

    def restart(self) -> None:
        """Kill the wallet, all of it, and start it again."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = self._started()

    def stop(self) -> None:
        self._pool.clear()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def arm(self, *faults: str | None, **wish: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Let the next calls go wrong, or not; return how often what went wrong."""
        if faults:
            wish["next"] = faults
        return self.call("faults", **wish)[1]

    def holding(self) -> int:
        """Return how many calls are held."""
        return int(self.arm()["holding"])

    def rest(self) -> None:
        """Wait until no call is under way: one that stalls does its work late."""
        until(lambda: self.arm()["busy"] == 0, "the wallet is at rest")

    def release(self) -> None:
        """Let go of the calls that are held."""
        self.arm(release=True)

    def call(self, kind: str, **body: Any) -> tuple[int, dict[str, Any]]:  # noqa: ANN401 - JSON
        """Send a signed call; return its status and its JSON."""
        raw = json.dumps({"kind": kind, **body}).encode()
        stamp = str(int(time.time()))
        message = f"{stamp}\n".encode() + raw
        signed = hmac.new(SECRET.encode(), message, hashlib.sha256).hexdigest()
        headers = {"Upcard-Timestamp": stamp, "Upcard-Signature": signed}
        url = f"{self.url}/{kind}"
        answer = self._pool.request("POST", url, body=raw, headers=headers)
        return answer.status, json.loads(answer.data)

    def put(
        self,
        player: str,
        cash: int,
        currency: str = "USD",
        *,
        bonus: int = 0,
        refuses: str | None = None,
    ) -> None:
        """Give a player these funds, in place of what he has."""
        statement = (
            "INSERT INTO player VALUES (%s, %s, %s, %s, %s) "
            "ON CONFLICT (player_id, currency) DO UPDATE SET cash = excluded.cash, "
            "bonus = excluded.bonus, refuses = excluded.refuses"
        )
        with psycopg.connect(self.dsn) as db:
            db.execute(statement, (player, currency, cash, bonus, refuses))

    def has(self, player: str, currency: str = "USD") -> int:
        """Return what a player has."""
        ((has,),) = self.rows(
            "SELECT cash + bonus AS has FROM player "
            "WHERE player_id = %s AND currency = %s",
            *(player, currency),
        )
        return int(has)

    def kinds(self, player: str) -> list[str]:
        """Return the kinds of all that the wallet did for a player, in order."""
        found = self.rows(
            "SELECT kind FROM transaction WHERE player_id = %s AND status = 200 "
            "ORDER BY at",
            player,
        )
        return [kind for (kind,) in found]

    def clear(self) -> None:
        """Forget all players and all calls."""
        with psycopg.connect(self.dsn) as db:
            db.execute("TRUNCATE player, transaction")

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what is in the wallet's book."""
        with psycopg.connect(self.dsn) as db:
            return db.execute(query.encode(), values).fetchall()

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", *self._program]
        options = ["--database", self.dsn, "--listen", f"127.0.0.1:{self.port}"]
        process = subprocess.Popen(
            [*command, *options, *self._options],
            cwd=ROOT,
            env={**os.environ, "UPCARD_WALLET_KEY": SECRET},
            stdout=subprocess.DEVNULL,
            process_group=0,
        )
        until(lambda: listens(self.port), "the wallet listens")
        return process


@contextmanager
def running_wallet(
    dsn: str, *options: str, program: Sequence[str] = (EXAMPLE,)
) -> Iterator[WalletProcess]:
    """Give a running wallet on an empty database."""
    wallet = WalletProcess(dsn, program, *options)
    try:
        yield wallet
    finally:
        wallet.stop()


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def listens(port: int) -> bool:
    """Tell whether somebody listens on a port."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
