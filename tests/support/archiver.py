"""An archiver that kills itself at a given point, as a power cut would."""

import gzip
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from service.archive import files, move
from service.archive.files import Archive
from service.archive.move import archive_rounds
from service.store import archive
from service.store.database import ARCHIVER_ROLE, Database

PLACES: Final[dict[str, tuple[Any, str, bool]]] = {
    "a block is written": (gzip, "compress", True),
    "all is written": (os, "fsync", False),
    "it is on the disk": (os, "fsync", True),
    "it has its name": (files, "_sync", False),
    "it was read again": (move, "drop", False),
    "all but the end of the deletion": (archive, "Database", False),
    "it is deleted": (move, "drop", True),
}
"""Which function, and whether it dies after it; the deletion has an end of its own."""


def main(dsn: str, folder: str, before: str, point: str) -> None:
    """Archive, and die at the point."""
    database = Database(dsn, role=ARCHIVER_ROLE)
    where, name, after = PLACES[point]
    if name == "Database":
        # The last statement of the transaction is done, and its COMMIT never comes.
        write = database.write
        database.write = dying(write, "INSERT INTO archive_file")  # type: ignore[method-assign]  # to die in it
    else:
        setattr(where, name, dying(getattr(where, name), None, after=after))
    archive_rounds(database, Archive(Path(folder)), int(before), lambda _: None)


def dying(
    function: Callable[..., Any], word: str | None, *, after: bool = True
) -> Callable[..., Any]:
    """Return a function that dies before or after it does what it does."""

    def die(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - whatever it takes
        if word is not None and word not in args[0]:
            return function(*args, **options)
        if after:
            function(*args, **options)
        return os.kill(os.getpid(), signal.SIGKILL)

    return die


if __name__ == "__main__":
    main(*sys.argv[1:])
