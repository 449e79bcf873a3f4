"""Start a program that does not outlive this process."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from service.embedded import child
from service.embedded.account import Account


def launch(
    command: Sequence[str | Path],
    death_signal: signal.Signals,
    *,
    account: Account | None = None,
    output: IO[bytes] | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start `command`; it gets `death_signal` when the calling *thread* ends.

    So call it from the main thread. The program has a process group of its own: a
    Ctrl-C in the terminal reaches this process alone, which then stops its children
    in the right order.

    With an `account` it runs as that user, and in the root folder, since that user
    may not be able to enter ours.
    """
    ids = (account.user, account.group) if account else (-1, -1)
    # fmt: off
    before = [sys.executable, "-I", "-S", child.__file__, *map(str, ids),
              str(int(death_signal)), str(os.getpid())]
    # fmt: on
    return subprocess.Popen(
        [*before, *map(str, command)],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        env=environment,
        cwd="/" if account else None,
        process_group=0,
    )
