"""Other processes, as Linux tells of them in /proc."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_TICK: Final = os.sysconf("SC_CLK_TCK")
# Fields of /proc/PID/stat behind the name in parentheses, from 0; see proc(5).
_STATE, _PARENT, _TIMES = 0, 1, slice(11, 15)


def children(pid: int) -> list[int]:
    """Return the live children of a process, in the order of their ids."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            fields = _stat(int(folder.name))
            if fields and int(fields[_PARENT]) == pid and fields[_STATE] != "Z":
                found.append(int(folder.name))
    return sorted(found)


def cpu_seconds(pid: int) -> float:
    """Return what a process and all its descendants, ended ones too, have used."""
    return sum(_times(each) for each in _tree(pid)) / _TICK


def busy_seconds() -> float:
    """Return what all processes of the machine have used since it began."""
    # user, nice, system, idle, iowait, irq, softirq, steal; see proc(5).
    first = Path("/proc/stat").read_text("utf-8").split("\n", 1)[0]
    times = [int(field) for field in first.split()[1:9]]
    return (sum(times) - times[3] - times[4]) / _TICK


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for child in children(pid):
        yield from _tree(child)


def _times(pid: int) -> int:
    """User and system time, its own and that of the children it has waited for."""
    fields = _stat(pid)
    return sum(map(int, fields[_TIMES])) if fields else 0


def _stat(pid: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:  # it has ended
        return None
    return text.rpartition(")")[2].split()
