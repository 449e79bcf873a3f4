"""The house: every process of it, each of which may be killed at any time.

`upcard serve` with two workers and its PostgreSQL, two copies of `upcard jobs run`, and
an operator's wallet with a PostgreSQL of its own.
"""

import atexit
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import orjson
import psycopg

from service.cli.listening import address_of, answers
from service.embedded.home import Home
from service.embedded.launch import launch
from service.embedded.server import Server, dsn
from service.operators import new_key
from service.sealing import KeyRing
from service.store.database import Database
from service.store.keys import OperatorKey, add_key
from service.store.operators import OperatorRow, add_operator
from tests.chaos.cashier import Key
from tests.chaos.plan import OPERATORS, WALLET, Blow
from tests.chaos.witness import Receipt
from tests.support.postgres import FAST, quiet
from tests.support.processes import children
from tests.support.waiting import DEADLINE, until
from tests.support.wallet import EXAMPLE, SECRET, WalletProcess, free_port

JOBS: Final = 2
_ACES: Final = Path(__file__).with_name("aces")
"""Where the program is made to deal more aces than there are."""
_MAIN: Final = "from service.cli import main; main()"
_OWN_FAULTS: Final = ("Traceback", "job_fault", '"internal_error"', "contract")
_TOP_UP: Final = """
INSERT INTO player (player_id, currency, cash) VALUES (%s, %s, %s)
ON CONFLICT (player_id, currency) DO UPDATE SET cash = player.cash + excluded.cash
RETURNING cash + bonus
"""


class Program:
    """One process of ours, started again and again; what it says is in a file."""

    def __init__(self, what: str, output: Path, environment: Mapping[str, str]) -> None:
        self._what = what.split()
        self.output: Final = output
        self._environment = environment
        self.process = self._started()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def start(self) -> None:
        """Start it again, once it has ended."""
        self.process.wait()
        self.process = self._started()

    def kill(self) -> None:
        """Kill it without a word."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Let it end in its own way."""
        self.process.terminate()
        self.process.wait(DEADLINE)

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", _MAIN]
        with self.output.open("ab") as output:
            return launch(
                [*command, *self._what],
                signal.SIGTERM,
                output=output,
                environment=self._environment,
            )


class Wallet(WalletProcess):
    """The operator's wallet, which may be away for a while."""

    def kill(self) -> None:
        """Kill it without a word; its database lives."""
        self.stop()

    def start(self) -> None:
        """Start it again."""
        self._process = self._started()


class House:
    """All processes; call it from the main thread, which they must not outlive."""

    def __init__(self, home: Home, wallet_home: Home, chance: random.Random) -> None:
        self.home: Final = home
        self.place: Final = ("127.0.0.1", free_port())
        self.counts: Final[Counter[str]] = Counter()
        self._chance = chance
        self._bank = Server(wallet_home, quiet, FAST)
        self._bank.start()
        self.wallet: Final = Wallet(self._bank.dsn, (EXAMPLE,), "--faults")
        atexit.register(self.wallet.stop)
        self._wallet_counts: Counter[str] = Counter()
        aces = {"PYTHONPATH": str(_ACES)}
        self.serve: Final = Program(
            "serve", home.path / "serve.log", {**self._settings(), **aces}
        )
        self._await_answer()
        self.keys: Final = self._operators()
        # Their own PostgreSQL is nothing for jobs to start when it is away.
        settings = {**self._settings(), "DATABASE_URL": self.dsn}
        self.jobs: Final = [
            Program("jobs run", home.path / f"jobs-{number}.log", settings)
            for number in range(JOBS)
        ]

    @property
    def dsn(self) -> str:
        """The service's database, as its owner."""
        return dsn(self.home)

    def bring(self, player: str, currency: str, amount: int) -> Receipt:
        """Put money into the wallet, as the operator's own cashier does."""
        with psycopg.connect(self.wallet.dsn) as db:
            found = db.execute(_TOP_UP, (player, currency, amount)).fetchone()
        assert found is not None
        return Receipt("", amount, found[0])

    def misbehave(self) -> None:
        """Let the wallet go wrong now and then, as it does all along."""
        self.wallet.arm(seed=self._chance.random(), rates=dict(WALLET))

    def behave(self) -> None:
        """Let all go well from now on, and wait until nothing is under way."""
        self.wallet.arm(rates={})
        self.wallet.rest()
        self.look_after()

    def strike(self, blow: Blow) -> None:
        """Do what a blow says."""
        match blow.kind:
            case "worker" | "postgres":
                os.kill(self._child(blow.kind), signal.SIGKILL)
            case "jobs":
                self._chance.choice(self.jobs).kill()
            case "serve":
                self.serve.kill()
            case "wallet":
                self._count_wallet()
                self.wallet.kill()
                _wait(blow.seconds)
                self.wallet.start()
                self.misbehave()
            case "outage":
                self.wallet.arm(rates={blow.fault: 1.0})
                _wait(blow.seconds)
                self.misbehave()
            case _:
                self._type("gaming", "stop", "--why", "a blow")
                _wait(blow.seconds)
                self._type("gaming", "start")
        self.counts[blow.kind] += 1
        self.look_after()

    def look_after(self) -> None:
        """Start what has ended, as a supervisor does."""
        while self.serve.has_ended:
            self.serve.start()
            self.counts["serve: started again"] += 1
            self._await_answer()
        for job in self.jobs:
            if job.has_ended:
                job.start()
                self.counts["jobs: started again"] += 1

    def wallet_counts(self) -> Counter[str]:
        """Return how often what went wrong with the wallet."""
        return self._wallet_counts + Counter(self.wallet.arm()["counts"])

    def hurry(self) -> int:
        """Make all calls due that wait, as if hours had gone by; return how many."""
        with psycopg.connect(self.dsn) as db:
            return db.execute(
                "UPDATE transfer SET next_try_at = now() WHERE status = 'requested'"
            ).rowcount

    def complaints(self) -> Iterator[str]:
        """Return what the service logged of faults that are its own."""
        for program in (self.serve, *self.jobs):
            for line in program.output.read_text("utf-8", "replace").splitlines():
                if any(word in line for word in _OWN_FAULTS):
                    yield f"{program.output.name}: {line[:300]}"

    def job_counts(self) -> Counter[str]:
        """Return how often jobs said that they did something, by what it was."""
        done: Counter[str] = Counter()
        for program in self.jobs:
            for line in program.output.read_text("utf-8", "replace").splitlines():
                told = orjson.loads(line) if line[:1] + line[-1:] == "{}" else {}
                if told.get("event") == "job" and told["job"] == "wallet-calls":
                    done.update({k: n for k, n in told.items() if isinstance(n, int)})
        return done

    def keep_logs(self, folder: Path) -> None:
        """Copy what the processes said."""
        folder.mkdir(parents=True, exist_ok=True)
        for program in (self.serve, *self.jobs):
            shutil.copy(program.output, folder)
        shutil.copy(self.home.log, folder)

    def close(self) -> None:
        """Stop everything."""
        for program in (*self.jobs, self.serve):
            program.stop()
        self.wallet.stop()
        self._bank.stop()

    def _settings(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("UPCARD_") and "DATABASE_URL" not in name
        }
        host, port = self.place
        ours = {"UPCARD_HOME": str(self.home.path), "UPCARD_BIND": f"{host}:{port}"}
        return {**kept, **ours, "UPCARD_WORKERS": "2", "UPCARD_LOG_REQUESTS": "false"}

    def _await_answer(self) -> None:
        address = address_of(":".join(map(str, self.place)))
        until(
            lambda: self.serve.has_ended or answers(address, "/readyz"),
            f"upcard serve answers; see {self.serve.output}",
        )

    def _operators(self) -> list[Key]:
        ring = KeyRing.from_file(self.home.path / "secrets" / "shoe-keys.json")
        owner = Database(self.dsn, role=None)
        keys = []
        for name, keeper in OPERATORS.items():
            url = self.wallet.url if keeper == "seamless" else None
            add_operator(owner, OperatorRow(name, keeper, url, sandbox=False))
            key, secret = new_key(ring, name, "request")
            add_key(owner, key)
            keys.append(Key(name, key.key_id, secret))
            if url is not None:
                sealed = ring.seal_secret(SECRET.encode(), name, "w-1")
                add_key(owner, OperatorKey(name, "w-1", "wallet", sealed))
        owner.close()
        return keys

    def _child(self, kind: str) -> int:
        """Return a child of the service to be killed, once there is one."""
        found: list[int] = []

        def there() -> bool:
            parts: dict[str, int] = {}
            for pid in children(self.serve.pid):
                named = b"postgres" in Path(f"/proc/{pid}/cmdline").read_bytes()
                parts["postgres" if named else "gunicorn"] = pid
            if kind == "postgres":
                found[:] = [parts["postgres"]] if "postgres" in parts else []
            else:
                found[:] = children(parts["gunicorn"]) if "gunicorn" in parts else []
            return bool(found)

        until(there, f"a {kind} to kill")
        return self._chance.choice(found)

    def _type(self, *command: str) -> None:
        """Type a command as an engineer does: again, when the database was away."""
        typed = [sys.executable, "-c", _MAIN, *command]
        settings = {**self._settings(), "DATABASE_URL": self.dsn}
        while subprocess.run(
            typed, env=settings, capture_output=True, check=False
        ).returncode:
            self.look_after()
            _wait(0.5)

    def _count_wallet(self) -> None:
        self._wallet_counts = self.wallet_counts()


def _wait(seconds: float) -> None:
    threading.Event().wait(seconds)
