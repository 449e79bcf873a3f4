"""Connections: one for each thread, each statement a transaction of its own."""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict

from service.store.errors import (
    DatabaseUnavailable,
    KeyUsed,
    LostRace,
    NonceUsed,
    OpenRoundExists,
    ReferenceUsed,
    SchemaWrong,
    SealExists,
    StoreError,
    TransferExists,
    TransferWaits,
)
from service.store.instant import store_adapters
from service.store.statements import Row, Statements

SERVICE_ROLE: Final = "upcard_service"
"""The role of the service's connections; migration 1 makes it."""
ARCHIVER_ROLE: Final = "upcard_archiver"
"""The one role that may delete from the log; migration 7 makes it."""

_ADAPTERS: Final = store_adapters()
_UNIQUE: Final[dict[str | None, type[StoreError]]] = {
    "log_version": LostRace,
    "log_key": KeyUsed,
    # Of a version that has gone to the archive the ledger knows still.
    "ledger_cause": LostRace,
    "round_open": OpenRoundExists,
    "ledger_reference": ReferenceUsed,
    "transfer_id": TransferExists,
    "transfer_waits": TransferWaits,
    "transfer_deals": TransferWaits,
    "request_nonce_once": NonceUsed,
    "seal_id": SealExists,
    "seal_day": SealExists,
    "seal_leaf_id": SealExists,
}
"""What SQLSTATE 23505 means, by the constraint that was violated."""

_CONNECT_SECONDS: Final = 5
_STATEMENT_MILLISECONDS: Final = 5_000
_PATIENCE: Final = "SET LOCAL statement_timeout = '1h'"


class _Held(NamedTuple):
    """A thread's connection; `process` tells whether a fork lies between."""

    process: int
    connection: psycopg.Connection[Row]
    statements: Statements


class Database:
    """A database to read from and write to, from any number of threads.

    A thread connects at its first statement and again after a connection broke.

    Raises:
        ValueError: `dsn` is no connection string. (Its text isn't shown: it may
            hold a password.)
    """

    def __init__(self, dsn: str, *, role: str | None = SERVICE_ROLE) -> None:
        try:
            given = conninfo_to_dict(dsn)
        except psycopg.ProgrammingError:
            raise ValueError("the database URL is not a connection string") from None
        options = str(given.get("options") or "")
        options += f" -c statement_timeout={_STATEMENT_MILLISECONDS}"
        if role is not None:
            options += f" -c role={role}"
        self._parameters: Final[dict[str, Any]] = {
            "application_name": "upcard",
            "connect_timeout": _CONNECT_SECONDS,
            # A server that vanished without a word: no command waits for ever.
            "tcp_user_timeout": _STATEMENT_MILLISECONDS * 2,
            **given,
            "options": options,
        }
        self._thread = threading.local()
        self._all: list[tuple[threading.Thread, _Held]] = []
        self._lock = threading.Lock()

    def read(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        """Run one SELECT; once more on a fresh connection if the first one broke.

        Raises:
            DatabaseUnavailable: no answer.
        """
        try:
            return self._held().statements.rows(query, values)
        except psycopg.Error as error:
            inside = self.in_transaction
            if not self._drop_if_broken(error) or inside:
                raise _meaning(error) from error
        try:
            return self._held().statements.rows(query, values)
        except psycopg.Error as error:
            self._drop_if_broken(error)
            raise _meaning(error) from error

    def write(self, query: str, values: Sequence[object] = ()) -> int:
        """Run one statement that writes, never twice; return the rows it touched.

        Raises:
            DatabaseUnavailable: no answer; whether it was written is unknown.
            LostRace, KeyUsed, OpenRoundExists: not written, by the constraint.
        """
        try:
            return self._held().statements.touched(query, values)
        except psycopg.Error as error:
            self._drop_if_broken(error)
            raise _meaning(error) from error

    def change(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        """Run one statement that writes, never twice; return its RETURNING rows.

        Raises: as `write` does.
        """
        try:
            return self._held().statements.rows(query, values)
        except psycopg.Error as error:
            self._drop_if_broken(error)
            raise _meaning(error) from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make one transaction of the statements that the block runs on this thread.

        Within another it is a part of that.

        Raises:
            DatabaseUnavailable: no answer to COMMIT; whether it was done is unknown.
        """
        connection = self._held().connection
        outside = self.in_transaction
        self._thread.inside = True
        try:
            with connection.transaction():
                yield
        except psycopg.Error as error:
            self._drop_if_broken(error)
            raise _meaning(error) from error
        finally:
            self._thread.inside = outside

    @contextmanager
    def patiently(self) -> Iterator[None]:
        """Make a transaction, as above, of statements that may take their time.

        For jobs and people who go through all there is; nobody who plays waits so.

        Raises: as `transaction` does.
        """
        with self.transaction():
            self.write(_PATIENCE)
            yield

    @property
    def in_transaction(self) -> bool:
        """Whether a `transaction` of this thread is under way."""
        return getattr(self._thread, "inside", False)

    def close(self) -> None:
        """Close the connections of all threads; the next statement opens anew.

        For a time when no thread is running one.
        """
        with self._lock:
            for _, held in self._all:
                held.connection.close()
            self._all.clear()

    def _held(self) -> _Held:
        """Return this thread's connection, made now if there is none."""
        held: _Held | None = getattr(self._thread, "held", None)
        if held is None or held.process != os.getpid():
            held = self._thread.held = self._connect()
        return held

    def _connect(self) -> _Held:
        try:
            connection = psycopg.connect(
                **self._parameters,
                autocommit=True,
                context=_ADAPTERS,
            )
        except psycopg.Error as error:
            raise _refusal(error) from error
        held = _Held(os.getpid(), connection, Statements(connection))
        with self._lock:
            for thread, old in self._all:
                if not thread.is_alive():
                    old.connection.close()
            self._all = [entry for entry in self._all if entry[0].is_alive()]
            self._all.append((threading.current_thread(), held))
        return held

    def _drop_if_broken(self, error: psycopg.Error) -> bool:
        """Forget this thread's connection if it is of no use any more."""
        held: _Held | None = getattr(self._thread, "held", None)
        standby = isinstance(error, psycopg.errors.ReadOnlySqlTransaction)
        if held is not None and standby:
            held.connection.close()  # its address may lead to another server by now
        if held is None or not held.connection.closed:
            return False
        with self._lock:
            self._all = [entry for entry in self._all if entry[1] is not held]
        self._thread.held = None
        return True

    def __repr__(self) -> str:
        """Say where it is, without the password."""
        shown = ("host", "port", "dbname", "user")
        parts = (f"{k}={self._parameters[k]}" for k in shown if k in self._parameters)
        return f"<Database {' '.join(parts)}>"


def clock(db: Database) -> int:
    """Return the database's time, the only clock, in microseconds since 1970 UTC.

    Raises:
        DatabaseUnavailable: no answer.
    """
    ((now,),) = db.read("SELECT now()")
    assert isinstance(now, int), "as our adapters load it"
    return now


def pages(db: Database, query: str, first: tuple[Any, ...], size: int) -> Iterator[Row]:
    """Yield the rows of a query behind `first`, so many with each SELECT.

    `first` has the columns that they are sorted by: those that a row begins with.

    Raises:
        DatabaseUnavailable: no answer.
    """
    after = first
    while rows := db.read(query, (*after, size)):
        yield from rows
        if len(rows) < size:
            return
        after = rows[-1][: len(first)]


def _meaning(error: psycopg.Error) -> Exception:
    """Say an error of a statement in our words; a fault of ours stays as it is."""
    match error:
        case psycopg.errors.UniqueViolation():
            constraint = error.diag.constraint_name
            return _UNIQUE[constraint]() if constraint in _UNIQUE else error
        case (
            psycopg.OperationalError()
            | psycopg.InterfaceError()
            | psycopg.errors.ReadOnlySqlTransaction()
        ):
            return DatabaseUnavailable(str(error))
        case _:
            return error


def _refusal(error: psycopg.Error) -> StoreError:
    """Say in our words why there is no connection (psycopg gives no SQLSTATE)."""
    for role in (SERVICE_ROLE, ARCHIVER_ROLE):
        if role in str(error):
            return SchemaWrong(
                f"this database user can't work under the role {role}; run: upcard "
                f"migrate; and for a user who isn't the owner: GRANT {role} TO him"
            )
    return DatabaseUnavailable(str(error))
