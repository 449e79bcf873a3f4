"""Become another program that ends when the launcher ends; run as a script.

A postmaster or a gunicorn whose launcher was killed with SIGKILL must not live on.
Linux can send a signal to a process when its parent dies (prctl(2),
PR_SET_PDEATHSIG), but the process itself has to ask for it, after its last change
of user, for that clears the wish. Asking from a function between fork and exec is
not safe in a program with threads, so this small program stands between.

Run with ``python -I -S child.py USER_ID GROUP_ID SIGNAL PARENT COMMAND...``;
-1 as the ids leaves the user as it is.
"""

import ctypes
import os
import sys

_PR_SET_PDEATHSIG = 1


def become(user: int, group: int, death_signal: int, parent: int) -> None:
    """Take the user, and ask for ``death_signal`` when the parent dies."""
    if user >= 0:
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, death_signal, 0, 0, 0) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), "prctl")
    if os.getppid() != parent:  # it died before we could ask
        raise SystemExit(1)


if __name__ == "__main__":
    become(*map(int, sys.argv[1:5]))
    os.execv(sys.argv[5], sys.argv[5:])  # noqa: S606 - what this program is for
