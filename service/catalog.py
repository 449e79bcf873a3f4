"""The tables that are offered, and every version that a round was opened under."""

import time
from collections.abc import Callable, Mapping
from typing import Final

from service.refusals import TableNotFound
from service.rules.table import TableRules
from service.store.database import Database
from service.store.tables import all_table_versions
from service.tablefile import parse_table

FRESH_SECONDS: Final = 5


class _Versions(dict[str, TableRules]):
    """Rules by version; one that is not there yet is looked for in the database.

    Another process may have read it a moment ago, and dealt a round under it.
    """

    def __init__(
        self, known: Mapping[str, TableRules], look: Callable[[str], TableRules]
    ) -> None:
        super().__init__(known)
        self._look = look

    def __missing__(self, version: str) -> TableRules:
        return self._look(version)


class Catalog:
    """The loaded table versions, read again when they may have grown old.

    A table loaded while the service runs is offered within ``FRESH_SECONDS``; a round
    that another process has dealt under it is read at once.
    """

    def __init__(
        self, database: Database, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._clock = clock
        self._read_at = -float("inf")
        self._versions: Mapping[str, TableRules] = {}
        self._sources: Mapping[str, str] = {}
        self._current: Mapping[str, TableRules] = {}

    def current(self) -> tuple[TableRules, ...]:
        """Return the newest version of each table, by table number.

        Raises DatabaseUnavailable.
        """
        self._refresh()
        return tuple(sorted(self._current.values(), key=lambda table: table.number))

    def table(self, table_id: str) -> TableRules:
        """Return the newest version of a table.

        Raises TableNotFound, or DatabaseUnavailable.
        """
        self._refresh()
        table = self._current.get(table_id)
        if table is None:
            raise TableNotFound(table_id, tuple(sorted(self._current)))
        return table

    def versions(self) -> Mapping[str, TableRules]:
        """Return every version there is, by its digest, for reading rounds.

        Raises DatabaseUnavailable, here and where a version is asked for.
        """
        self._refresh()
        return _Versions(self._versions, self._loaded_just_now)

    def source(self, version: str) -> str:
        """Return the table file's text of a version, as it was loaded.

        Raises KeyError for one that never was, or DatabaseUnavailable.
        """
        self._refresh(at_once=version not in self._sources)
        return self._sources[version]

    def _loaded_just_now(self, version: str) -> TableRules:
        self._refresh(at_once=True)
        return self._versions[version]

    def _refresh(self, *, at_once: bool = False) -> None:
        if not at_once and self._clock() - self._read_at < FRESH_SECONDS:
            return
        rows = all_table_versions(self._database)
        known = self._versions
        versions = {
            row.version: known.get(row.version) or parse_table(row.source, row.table_id)
            for row in rows
        }
        self._sources = {row.version: row.source for row in rows}
        self._current = {row.table_id: versions[row.version] for row in rows}
        self._versions = versions
        self._read_at = self._clock()
