"""The tables that are offered, and every version that a round was opened under."""

import time
from collections.abc import Callable, Mapping

from service.refusals import TableNotFound
from service.rules.table import TableRules
from service.store.database import Database
from service.store.tables import all_table_versions
from service.tablefile import parse_table

FRESH_SECONDS = 5


class _Versions(dict[str, TableRules]):
    """Rules by version; one that is not known is looked for once more.

    Another process may have loaded it just now, and dealt a round under it.
    """

    def __init__(
        self, known: Mapping[str, TableRules], look: Callable[[], "_Versions"]
    ) -> None:
        super().__init__(known)
        self._look = look

    def __missing__(self, version: str) -> TableRules:
        found = self._look().get(version)
        if found is None:
            raise KeyError(version)
        return found


class Catalog:
    """The loaded table versions, read again when they may have grown old.

    A table loaded while the service runs is offered within ``FRESH_SECONDS``.
    """

    def __init__(
        self, database: Database, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._clock = clock
        self._read_at = -float("inf")
        self._versions = _Versions({}, self._read)
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
        """Return every version, by its digest, for reading rounds.

        Raises DatabaseUnavailable; so may the look for one that is not in it.
        """
        self._refresh()
        return self._versions

    def source(self, version: str) -> str:
        """Return the table file's text of a version, as it was loaded."""
        if version not in self._sources:
            self._read()
        return self._sources[version]

    def _refresh(self) -> None:
        if self._clock() - self._read_at >= FRESH_SECONDS:
            self._read()

    def _read(self) -> _Versions:
        rows = all_table_versions(self._database)
        known = self._versions
        rules = {
            row.version: known.get(row.version) or parse_table(row.source, row.table_id)
            for row in rows
        }
        versions = _Versions(rules, self._read)
        self._sources = {row.version: row.source for row in rows}
        self._current = {row.table_id: versions[row.version] for row in rows}
        self._versions = versions
        self._read_at = self._clock()
        return versions
