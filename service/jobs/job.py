"""What a job is, and how all of them are run."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from structlog.typing import FilteringBoundLogger

from service.store.errors import StoreError

PAUSE_SECONDS: Final = 1.0
"""From the end of a pass in which nothing was due to the next look."""

Note = Callable[[str], None]
"""Is told each thing that was done, in one word."""


class Job(Protocol):
    """Does what is due, and can say what that would be."""

    @property
    def name(self) -> str:
        """As `upcard jobs` knows it."""
        ...

    def run(self, note: Note) -> bool:
        """Do some of what is due; say whether there may be more.

        Raises DatabaseUnavailable.
        """
        ...

    def look(self) -> list[str]:
        """Say what waits, a line a kind, and do nothing."""
        ...


def run_once(jobs: Sequence[Job], log: FilteringBoundLogger, note: Note) -> bool:
    """Do all that is due now; False if one of the jobs failed, which the log tells."""
    ended: set[str] = set()
    failed: set[str] = set()
    while todo := [job for job in jobs if job.name not in ended]:
        for job in todo:
            more = _passed(job, log, note)
            if not more:
                ended.add(job.name)
            if more is None:
                failed.add(job.name)
    return not failed


def run_until(
    stop: threading.Event, jobs: Sequence[Job], log: FilteringBoundLogger, note: Note
) -> None:
    """Run the jobs again and again until `stop` is set; a failure is not the end."""
    while not stop.is_set():
        if not any([_passed(job, log, note) for job in jobs]):  # noqa: C419 - each of them, whatever the others say
            stop.wait(PAUSE_SECONDS)


def _passed(job: Job, log: FilteringBoundLogger, note: Note) -> bool | None:
    """Run a job once and log what it did; None if it failed."""
    done: Counter[str] = Counter()

    def count(word: str) -> None:
        done[word] += 1
        note(word)

    try:
        more = job.run(count)
    except StoreError as error:
        told = {"why": type(error).__name__, "said": str(error)}
        log.warning("job_failed", job=job.name, **told, **done)
        return None
    if done:
        log.info("job", job=job.name, **done)
    return more
