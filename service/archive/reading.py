"""Archived rows for those who read every row there is."""

from collections.abc import Callable, Iterator
from pathlib import Path

from service.archive.files import Archive
from service.store.errors import ArchiveUnavailable
from service.store.reconciliation import LoggedRow


def logged_in(folder: Path | None) -> Callable[[str, str], Iterator[LoggedRow]]:
    """Return what gives a round's rows out of a file of the archive in a folder.

    It raises ArchiveUnavailable; always, without a folder.
    """

    def rows(file: str, round_id: str) -> Iterator[LoggedRow]:
        if folder is None:
            raise ArchiveUnavailable(
                f"{file} is needed: UPCARD_ARCHIVE names no folder"
            )
        for row in Archive(folder).find(file, round_id).rows:
            yield LoggedRow(row.account, row.round_id, row.ver, row.data)

    return rows
