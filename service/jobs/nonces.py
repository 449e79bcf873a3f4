"""Sweep the numbers of signed requests that are too old to be sent again."""

from typing import Final

from service.jobs.job import Note
from service.store.database import Database
from service.store.sweep import count_old_nonces, sweep_nonces

KEPT_SECONDS: Final = 600
"""Twice as long as a signature is good."""
_BATCH: Final = 5_000


class Nonces:
    """Deletes old numbers, some thousands at a time."""

    name: Final = "nonces"

    def __init__(self, database: Database) -> None:
        self._database = database

    def run(self, note: Note) -> bool:
        """Delete some that are too old; say whether there may be more."""
        swept = sweep_nonces(self._database, KEPT_SECONDS, _BATCH)
        for _ in range(swept):
            note("swept")
        return swept == _BATCH

    def look(self) -> list[str]:
        """Say how many are too old."""
        return [f"{count_old_nonces(self._database, KEPT_SECONDS)} old numbers"]
