"""Prepared statements, each run with one call of libpq.

A cursor of psycopg sends, waits and receives in steps of its own, and between them
other threads take the interpreter: that is a tenth of what a hit costs in a worker
with eight threads. Here a thread lets go of it once a statement.
"""

import re
from collections.abc import Sequence
from itertools import count
from typing import Any, Final, cast

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

Row = tuple[Any, ...]

_MOST_VALUES: Final = 60
_FORMATS: Final = (PyFormat.AUTO,) * _MOST_VALUES
_DONE: Final = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)


class Statements:
    """The statements of one connection, prepared as they are first run.

    For one thread, that of the connection.
    """

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection
        self._adapt = Transformer(connection)
        self._names: dict[tuple[str, tuple[int, ...] | None], bytes] = {}

    def rows(self, query: str, values: Sequence[object]) -> list[Row]:
        """Run a query with a `%s` for each value. Raises psycopg.Error."""
        result = self._run(query, values)
        self._adapt.set_pgresult(result)
        return self._adapt.load_rows(0, result.ntuples, tuple)

    def touched(self, query: str, values: Sequence[object]) -> int:
        """Run a statement that writes; return how many rows. Raises psycopg.Error."""
        return self._run(query, values).command_tuples or 0

    def _run(self, query: str, values: Sequence[object]) -> PGresult:
        sent = self._adapt.dump_sequence(values, _FORMATS[: len(values)])
        # NULL has another type than an instant has: that makes two statements of one.
        types, formats = self._adapt.types, self._adapt.formats
        name = self._names.get((query, types)) or self._prepared(query, types)
        # psycopg's types leave out that a value may be None, which is NULL.
        values_sent = cast("Sequence[Buffer]", sent)
        pgconn = self._connection.pgconn
        return self._checked(
            pgconn.exec_prepared(name, values_sent, formats, Format.BINARY)
        )

    def _prepared(self, query: str, types: tuple[int, ...] | None) -> bytes:
        name = b"upcard_%d" % len(self._names)
        numbers = count(1)
        numbered = re.sub("%s", lambda _: f"${next(numbers)}", query)
        pgconn = self._connection.pgconn
        self._checked(pgconn.prepare(name, numbered.encode(), types))
        self._names[query, types] = name
        return name

    def _checked(self, result: PGresult) -> PGresult:
        if result.status in _DONE:
            return result
        if self._connection.closed:
            raise psycopg.OperationalError(result.get_error_message())
        raise psycopg.errors.error_from_result(result)
