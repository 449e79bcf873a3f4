"""A player and a job that reach the log in the order that a test says.

Each on a real connection, and each has read the round before the other writes: who
comes to write its row stops at a gate, until the test opens that.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Thread
from typing import Final, Literal, NamedTuple

import psycopg

from tests.support.waiting import DEADLINE, until

Gate = Literal["job", "player"]

_NUMBERS: Final[dict[Gate, int]] = {"job": 1, "player": 2}
_INSTALL: Final = """
CREATE FUNCTION stop_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(
        CASE WHEN new.key LIKE 'job:%' THEN 1 ELSE 2 END
    );
    RETURN new;
END
$$;
CREATE TRIGGER gate BEFORE INSERT ON log FOR EACH ROW EXECUTE FUNCTION stop_at_gate();
"""
_STOPPED: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


def install_gates(dsn: str) -> None:
    """Put the gates before a database's log. They stand open."""
    with psycopg.connect(dsn) as owner:
        owner.execute(_INSTALL)


class Racer(NamedTuple):
    """Somebody who comes to the log; ``ready`` is called before he sets out."""

    gate: Gate
    command: Callable[[], object]
    ready: Callable[[], object] = lambda: None


@contextmanager
def gate_shut(dsn: str, *gates: Gate) -> Iterator["Shut"]:
    """Shut gates; they open at the end of the block, if they were not opened before."""
    with ExitStack() as stack:

        def connected() -> psycopg.Connection[tuple[int]]:
            return stack.enter_context(psycopg.connect(dsn, autocommit=True))

        locks = {gate: connected() for gate in gates}
        for gate, lock in locks.items():
            lock.execute("SELECT pg_advisory_lock(%s)", [_NUMBERS[gate]])
        yield Shut(connected(), locks)


class Shut:
    """Gates that are shut, and how many stop there."""

    def __init__(
        self,
        eye: psycopg.Connection[tuple[int]],
        locks: dict[Gate, psycopg.Connection[tuple[int]]],
    ) -> None:
        self._eye = eye
        self._locks = locks

    def stopped(self) -> int:
        """Count who waits for a lock: at a gate, or for somebody who stops there."""
        row = self._eye.execute(_STOPPED).fetchone()
        assert row is not None
        return row[0]

    def open(self, gate: Gate) -> None:
        self._locks[gate].execute("SELECT pg_advisory_unlock_all()")


def in_turn(dsn: str, *racers: Racer) -> list[object]:
    """Let racers set out one after the other, and write in the same order.

    Each of them has read what he decides by before the first one writes. One who never
    comes to the log is waited for, too. Gives each one's result, or what he raised.
    """
    results: list[object] = [None] * len(racers)

    def run(place: int) -> None:
        try:
            results[place] = racers[place].command()
        except Exception as error:  # noqa: BLE001 - it is the result
            results[place] = error

    with gate_shut(dsn, "job", "player") as gates:
        threads = []
        for place, racer in enumerate(racers):
            racer.ready()
            thread, before = Thread(target=run, args=[place]), gates.stopped()
            thread.start()
            threads.append(thread)
            until(
                lambda before=before, thread=thread: (  # type: ignore[misc]  # mypy can't tell what a default binds
                    gates.stopped() > before or not thread.is_alive()
                ),
                "the next one stops, or has ended",
            )
        for racer, thread in zip(racers, threads, strict=True):
            gates.open(racer.gate)
            thread.join(DEADLINE)
    return results
