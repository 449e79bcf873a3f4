"""A house in which parts are killed: at the moment of a given acknowledgement."""

import os
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from service.cli.listening import answers
from tests.support.processes import children
from tests.support.serving import Serve
from tests.support.waiting import DEADLINE, until

Part = Literal["postgres", "worker"]


class Kill(NamedTuple):
    """Kill a part when so many commands have been acknowledged."""

    at: int
    part: Part


class House:
    """A running `upcard serve`, and the kills that it is to survive.

    Clients tell it of each acknowledgement. The one whose answer makes the number of
    a kill does the killing, with the commands of all the others under way.
    """

    def __init__(self, serve: Serve, kills: Sequence[Kill]) -> None:
        self.serve: Final = serve
        self._kills = list(kills)
        self._until = kills[-1].at + kills[0].at
        self._lock = threading.Lock()
        self._acknowledged = 0
        self._ill = 0
        self._well = threading.Event()
        self._well.set()
        self.killed: Final[list[int]] = []

    @property
    def is_open(self) -> bool:
        """Whether there is a kill to come, or one to get over."""
        with self._lock:
            return self._acknowledged < self._until

    def acknowledged(self) -> None:
        """Count an answer; at the right one kill, and wait until all is well again."""
        with self._lock:
            self._acknowledged += 1
            if not self._kills or self._acknowledged < self._kills[0].at:
                return
            part = self._kills.pop(0).part
            self._ill += 1
            self._well.clear()
            old = self._kill(part)
        self._await(part, old)
        with self._lock:
            # The next part may have been killed while this one came back.
            self._ill -= 1
            if not self._ill:
                self._well.set()

    def await_well(self) -> None:
        """Wait until the part that was killed is there again, if one was."""
        assert self._well.wait(DEADLINE), "the house did not recover"

    def _kill(self, part: Part) -> list[int]:
        """Kill one, and return what processes of its kind there were."""
        old = self._parts(part)
        # Of two workers the older: so each of them comes to be killed.
        os.kill(old[0], signal.SIGKILL)
        self.killed.append(old[0])
        return old

    def _await(self, part: Part, old: list[int]) -> None:
        until(
            lambda: len(set(self._parts(part)) - set(old[:1])) == len(old),
            f"another {part}",
        )
        until(lambda: answers(self.serve.address, "/readyz"), "an answer")

    def _parts(self, part: Part) -> list[int]:
        found = self.serve.children
        if part == "postgres":
            return [found["postgres"]] if "postgres" in found else []
        # In the order of their age, which ids that begin anew are not.
        return sorted(children(found["gunicorn"]), key=_started)


def _started(pid: int) -> int:
    """Return when a process began, in ticks since the machine did; see proc(5)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError:  # it has ended
        return 0
    return int(stat.rpartition(")")[2].split()[19])
