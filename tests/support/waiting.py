"""Waiting for what another process does: by a condition and a deadline, no sleeps."""

import select
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

_Result = TypeVar("_Result")

DEADLINE: Final = 60.0
"""Seconds; a test that waits longer has failed."""


def until(condition: Callable[[], bool], what: str) -> None:
    """Return as soon as `condition` holds; `what` says so if it never does."""
    deadline = time.monotonic() + DEADLINE
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, f"waited {DEADLINE} seconds: {what}"
        pause.wait(0.01)


def is_gone(pid: int) -> bool:
    """Whether a process has ended (a zombie has)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def readable(*files: int) -> bool:
    """Whether one of the file descriptors has something to read in time."""
    return bool(select.select(files, [], [], DEADLINE)[0])


def at_once(jobs: Sequence[Callable[[], _Result]]) -> list[_Result | Exception]:
    """Run jobs in as many threads, begun together; give each one's result or error."""
    barrier = threading.Barrier(len(jobs))
    results: list[_Result | Exception] = [RuntimeError("did not run")] * len(jobs)

    def run(place: int) -> None:
        barrier.wait(DEADLINE)
        try:
            results[place] = jobs[place]()
        except Exception as error:  # noqa: BLE001 - it is the result
            results[place] = error

    threads = [threading.Thread(target=run, args=[i]) for i in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    return results
