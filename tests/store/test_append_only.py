"""What was written stays: the service may not change it, and the owner is stopped."""

import psycopg
import pytest

from service.store.database import Database
from tests.support.samples import opened

CHANGES = [
    "UPDATE {table} SET {column} = {column}",
    "DELETE FROM {table}",
    "TRUNCATE {table}",
]
KEPT = [
    *(("log", "key"), ("shoe", "commitment"), ("table_version", "source")),
    *(("significant_event", "why"), ("seal", "key_id"), ("seal_leaf", "ver")),
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("table", "column"), KEPT)
def test_neither_service_nor_owner_can_change(
    database: Database, dsn: str, change: str, table: str, column: str
) -> None:
    opened(database)
    statement = change.format(table=table, column=column)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
        database.write(statement)
    with (
        psycopg.connect(dsn) as owner,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"),
    ):
        owner.execute(statement.encode())


@pytest.mark.parametrize("statement", ["DELETE FROM round", "TRUNCATE round"])
def test_the_service_can_change_a_projection_and_not_remove_it(
    database: Database, statement: str
) -> None:
    opened(database)
    assert database.write("UPDATE round SET status = 'x'") == 1
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        database.write(statement)


def test_the_service_cannot_touch_the_list_of_migrations(database: Database) -> None:
    for statement in ("DELETE FROM migration", "UPDATE migration SET name = ''"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            database.write(statement)
