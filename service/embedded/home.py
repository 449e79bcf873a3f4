"""The folder that holds everything of one installation, and who may enter it.

HOME/lock                    held by the one process that runs PostgreSQL here
HOME/secrets/*.json          key files, mode 0600
HOME/postgresql/data         the cluster
HOME/postgresql/run          the socket (elsewhere when the path is too long)
HOME/postgresql/server.log   what PostgreSQL said
HOME/postgresql/binaries-*   a copy of the programs, as root only
"""

import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from service.embedded.account import Account
from service.embedded.errors import EmbeddedFault

SOCKET_NAME: Final = ".s.PGSQL.5432"
_SOCKET_PATH_BYTES: Final = 107
"""sizeof(sun_path) less its closing zero, unix(7)."""


class Busy(EmbeddedFault):
    """Another process runs the PostgreSQL of this home."""


class Home(NamedTuple):
    """The paths of one installation; nothing is touched before `prepare`."""

    path: Path

    @property
    def postgresql(self) -> Path:
        """Everything that PostgreSQL needs."""
        return self.path / "postgresql"

    @property
    def data(self) -> Path:
        """The cluster's folder; it exists once initdb has ended well."""
        return self.postgresql / "data"

    @property
    def log(self) -> Path:
        """What the server wrote."""
        return self.postgresql / "server.log"

    @property
    def sockets(self) -> Path:
        """The socket's folder; under the temporary one when HOME can't be in its name.

        Too long, or with a comma, which parts two names for PostgreSQL.
        """
        usual = os.fsencode(self.postgresql / "run" / SOCKET_NAME)
        if len(usual) <= _SOCKET_PATH_BYTES and not set(usual) & set(b',"\\'):
            return self.postgresql / "run"
        mark = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:16]
        return Path(tempfile.gettempdir(), f"upcard-{os.geteuid()}-{mark}")

    def prepare(self, account: Account) -> None:
        """Make the folders that are missing.

        Raises:
            EmbeddedFault: a folder cannot be made or is not ours, or PostgreSQL's
                user cannot reach it.
        """
        try:
            _passage(self.postgresql, account)
            own_folder(self.sockets, account)
            self.log.touch(0o600)
        except OSError as error:
            raise _unusable(error) from error
        for folder in (self.postgresql, *self.postgresql.parents):
            if account.is_another and not folder.stat().st_mode & stat.S_IXOTH:
                raise EmbeddedFault(
                    f"PostgreSQL must not run as root, and the user {account.name} "
                    f"can't pass through {folder}: set UPCARD_HOME to another folder, "
                    f"or: chmod o+x {folder}"
                )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the one process that runs this home's PostgreSQL.

        The kernel lets go of the lock when the process ends, however it ends.

        Raises:
            Busy: another process is.
            EmbeddedFault: the home's folder cannot be made or used.
        """
        try:
            _passage(self.path, Account.for_server())
            lock = open(self.path / "lock", "a+", opener=_private)  # noqa: SIM115 - held in a with, below
            os.fchmod(lock.fileno(), 0o600)
        except OSError as error:
            raise _unusable(error) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                raise Busy(
                    f"{self.path} is in use by {_holder(lock.read().strip())}, or set "
                    "UPCARD_HOME to another folder"
                ) from None
            lock.truncate(0)
            lock.write(f"{os.getpid()}\n")
            lock.flush()
            yield


def _passage(folder: Path, account: Account) -> None:
    """Make a folder of ours; another user may pass through, to the one that is his."""
    if not folder.exists():
        folder.mkdir(parents=True)
        folder.chmod(0o711 if account.is_another else 0o700)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _holder(written: str) -> str:
    """Say who holds the lock, by the process id that is written in it."""
    try:
        os.kill(int(written), 0)
    except PermissionError:
        pass  # it is another user's
    except (ValueError, OverflowError, ProcessLookupError):
        return (
            "another program, which holds its file lock; it is no upcard that runs "
            "(lsof and fuser name it): stop it"
        )
    return f"another upcard (process {written}): stop that one"


def _unusable(error: OSError) -> EmbeddedFault:
    return EmbeddedFault(
        f"{error.filename}: {error.strerror}; set UPCARD_HOME to a folder that you may "
        "write to"
    )


def own_folder(folder: Path, account: Account) -> None:
    """Make a folder that `account` alone may enter, or see that it is one.

    Raises:
        EmbeddedFault: it is someone else's, or a link (one in the temporary folder
            might be a trap).
    """
    try:
        folder.mkdir(0o700)
        account.give(folder)
    except FileExistsError:
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in account.owners:
            raise EmbeddedFault(
                f"{folder} is not a folder of the user {account.name}: remove it"
            ) from None
        account.give(folder)
        folder.chmod(0o700)
