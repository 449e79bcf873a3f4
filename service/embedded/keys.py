"""The key files of an installation: made once, mode 0600, and never made anew."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from service.embedded.errors import EmbeddedFault
from service.keyfile import KeyFile

FIRST_KEY = "k1"


def ensure_keys(
    files: Sequence[Path],
    is_in_use: Callable[[], bool],
    made: str = "rounds that were dealt",
) -> list[Path]:
    """Make the key files that are missing; return those that were made.

    `is_in_use` tells whether the database holds anything `made` with such keys: asked
    only when a file is missing.

    Raises:
        EmbeddedFault: a file is missing beside a database in use (a new key could open
            none of its shoes), or cannot be written.
    """
    missing = [path for path in files if not path.exists()]
    if missing and is_in_use():
        raise EmbeddedFault(
            f"{' and '.join(map(str, missing))}: missing, and the database holds "
            f"{made} with the keys in it: put the file back from your backup"
        )
    for path in missing:
        try:
            make_key_file(path)
        except EmbeddedFault:
            # Another process that has just started may have been faster.
            if not path.exists():
                raise
    return missing


def make_key_file(path: Path) -> None:
    """Make a key file with one new key, for its owner's eyes only.

    Raises:
        EmbeddedFault: there is a file already, or it cannot be written.
    """
    try:
        _make(path, KeyFile.fresh_text(FIRST_KEY).encode())
    except OSError as error:
        raise EmbeddedFault(f"{path}: {error.strerror}") from error


def _make(path: Path, text: bytes) -> None:
    """Write a whole file or none, and never over one that is there."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    with open(part, "xb", opener=_private) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    try:
        path.hardlink_to(part)
    finally:
        part.unlink()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
