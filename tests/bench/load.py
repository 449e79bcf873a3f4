"""Load by wrk: 16 connections, each with one request under way at all times.

wrk is a C program with one thread here. It shares the machine's cores with what it
measures, as pgbench does: the same for every figure.
"""

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from tests.support.processes import cpu_seconds

CONNECTIONS: Final = 16
SCRIPT: Final = Path(__file__).with_name("requests.lua")
_RESULT: Final = re.compile(
    r"^RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)$", re.MULTILINE
)
_MILLION: Final = 1_000_000
_RESERVE: Final = 1.6
"""How much faster than the fastest run the next one may be."""


class BenchFault(Exception):
    """The bench cannot go on, or what it measured means nothing."""


class Run(NamedTuple):
    """What one run measured: latencies in milliseconds, CPU in us a request."""

    requests: int
    rate: float
    p50: float | None = None
    p99: float | None = None
    app_cpu: float | None = None
    database_cpu: float | None = None


class Figure(Protocol):
    """Something to measure, again and again."""

    def prepare(self, seconds: int) -> None:
        """Make what a run of so long needs, judging by those before."""
        ...

    def run(self, seconds: int) -> Run:
        """Measure for about so long. Raises BenchFault."""
        ...


class CpuClock:
    """Takes the CPU time of a process and of all that it started."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._begun = cpu_seconds(pid)

    def each(self, requests: int) -> float:
        """Return what was used since the beginning, in us a request."""
        return (cpu_seconds(self._pid) - self._begun) * _MILLION / requests


class Requests:
    """A figure over HTTP: a server, and requests of which each is sent once."""

    def __init__(
        self,
        server: tuple[int, int, int | None],
        first_rate: float,
        make: Callable[[int], list[bytes]],
    ) -> None:
        """Take the port, gunicorn's and PostgreSQL's process ids, and a maker.

        `first_rate` is how many a second the first run may need.
        """
        self._port, *self._pids = server
        self._rate = first_rate
        self._make = make
        self._ready: list[bytes] = []

    def prepare(self, seconds: int) -> None:
        """Make more requests than the next run can use up."""
        self._fill(int(self._rate * seconds * _RESERVE))

    def take(self, count: int) -> list[bytes]:
        """Return so many requests, and never again."""
        self._fill(count)
        taken = self._ready[:count]
        del self._ready[:count]
        return taken

    def run(self, seconds: int) -> Run:
        """Send requests for so long. Raises BenchFault."""
        app, database = (pid and CpuClock(pid) for pid in self._pids)
        run = wrk(self._port, seconds, self._ready)
        # wrk asks its script for one more at its start, and leaves some unanswered.
        self.take(run.requests + 2 * CONNECTIONS)
        self._rate = max(self._rate, run.rate)
        return run._replace(
            app_cpu=app.each(run.requests) if app else None,
            database_cpu=database.each(run.requests) if database else None,
        )

    def _fill(self, count: int) -> None:
        if count > len(self._ready):
            self._ready += self._make(count - len(self._ready))


def wrk_program() -> str:
    """Return wrk's path. Raises BenchFault when there is none."""
    found = shutil.which("wrk")
    if found is None:
        raise BenchFault("this needs the program wrk; on Debian: apt-get install wrk")
    return found


def wrk(port: int, seconds: int, requests: Sequence[bytes]) -> Run:
    """Send requests for so long, each once at most.

    Raises BenchFault when one was refused or lost, or when there were too few.
    """
    command = [wrk_program(), "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s"]
    command += ["-s", str(SCRIPT), f"http://127.0.0.1:{port}", "--", "/dev/stdin"]
    said = subprocess.run(
        command,
        input=b"".join(request + b"\0" for request in requests),
        capture_output=True,
        check=False,
    )
    text = (said.stdout + said.stderr).decode()
    found = _RESULT.search(text)
    if said.returncode or not found:
        raise BenchFault(f"wrk failed:\n{text}")
    count, duration, broken, refused, p50, p99 = map(int, found.groups())
    if count >= len(requests):
        raise BenchFault(f"{len(requests)} requests were too few for {seconds} s")
    if broken or refused or not count:
        raise BenchFault(f"of {count} requests {refused} refused, {broken} lost")
    return Run(count, count * _MILLION / duration, p50 / 1000, p99 / 1000)
