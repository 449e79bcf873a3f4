"""Connections: one a thread, made anew when broken, and no word of the password."""

import traceback
from collections.abc import Iterator

import psycopg
import pytest

from service.chance import new_id
from service.store.database import Database, clock
from service.store.errors import DatabaseUnavailable, SchemaWrong
from service.store.log import append, load
from tests.support.postgres import Postgres
from tests.support.samples import next_row, opened
from tests.support.waiting import at_once, until

SECRET = "hunter2-secret"  # noqa: S105 - of nobody


@pytest.fixture
def owner(dsn: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def ended(owner: psycopg.Connection) -> None:
    """End every connection of the service, as an administrator or a failover does."""
    ours = "FROM pg_stat_activity WHERE datname = current_database() AND "
    ours += "application_name = 'upcard'"
    owner.execute(f"SELECT pg_terminate_backend(pid) {ours}".encode())
    count = f"SELECT count(*) {ours}".encode()
    until(lambda: owner.execute(count).fetchone() == (0,), "connections to end")


def test_a_read_survives_a_broken_connection(
    database: Database, owner: psycopg.Connection
) -> None:
    row = opened(database)
    ended(owner)
    assert load(database, row.account, row.round_id, None).rows == [row]


def test_a_write_is_never_repeated_by_itself(
    database: Database, owner: psycopg.Connection
) -> None:
    second = next_row(opened(database), "key-00002")
    ended(owner)
    with pytest.raises(DatabaseUnavailable):
        append(database, second)
    append(database, second)
    assert len(load(database, second.account, second.round_id, None).rows) == 2


def test_a_server_that_is_a_standby_now_is_left(
    database: Database, owner: psycopg.Connection
) -> None:
    row = opened(database)
    (name,) = owner.execute("SELECT current_database()").fetchone() or ("",)
    read_only = f'ALTER DATABASE "{name}" SET default_transaction_read_only = '
    owner.execute(f"{read_only} on".encode())
    ended(owner)
    assert load(database, row.account, row.round_id, None).rows == [row]
    second = next_row(row, "key-00002")
    with pytest.raises(DatabaseUnavailable):
        append(database, second)
    with pytest.raises(DatabaseUnavailable), database.transaction():
        append(database, second)
    owner.execute(f"{read_only} off".encode())
    append(database, second)


def test_threads_have_a_connection_each_and_leave_none_behind(
    database: Database, owner: psycopg.Connection
) -> None:
    count = b"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'upcard'"
    count += b" AND datname = current_database()"

    def pid() -> int:
        ((number,),) = database.read("SELECT pg_backend_pid()")
        return int(number)

    first = at_once([pid] * 4)
    assert len(set(first)) == 4
    again = at_once([pid] * 4)
    assert not set(first) & set(again)
    # The four of the threads that ended were closed when the next ones connected.
    until(lambda: (owner.execute(count).fetchone() or (0,))[0] <= 4, "they closed")
    database.close()
    until(lambda: owner.execute(count).fetchone() == (0,), "all closed")
    assert pid() > 0


def test_the_service_works_under_its_role(database: Database, dsn: str) -> None:
    assert database.read("SELECT current_user") == [("upcard_service",)]
    assert database.read("SHOW statement_timeout") == [("5s",)]
    with_options = Database(f"{dsn} options='-c work_mem=5MB'")
    assert with_options.read("SHOW work_mem") == [("5MB",)]
    assert with_options.read("SELECT current_user") == [("upcard_service",)]
    with_options.close()


def test_a_user_who_may_not_take_the_role_is_told(postgres: Postgres, dsn: str) -> None:
    name = f"guest_{new_id().replace('-', '')}"
    with psycopg.connect(postgres.dsn("postgres"), autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {name} LOGIN")
        database = Database(psycopg.conninfo.make_conninfo(dsn, user=name))
        with pytest.raises(SchemaWrong, match="GRANT upcard_service TO"):
            clock(database)
        admin.execute(f"DROP ROLE {name}")


def test_a_database_that_is_away_is_unavailable_and_keeps_its_password() -> None:
    for place in ("127.0.0.1:1", "nosuchhost.invalid:5432"):
        database = Database(f"postgresql://ann:{SECRET}@{place}/upcard")
        with pytest.raises(DatabaseUnavailable) as caught:
            clock(database)
        assert "127.0.0.1" in repr(database) or "nosuchhost" in repr(database)
        said = "".join(traceback.format_exception(caught.value))
        assert SECRET not in repr(database) + str(caught.value) + said


def test_a_faulty_url_is_refused_and_keeps_its_password() -> None:
    with pytest.raises(ValueError, match="is not a connection string") as caught:
        Database(f"postgresql://ann:{SECRET}@host:port:1/upcard?nonsense=1")
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_a_fault_of_ours_is_not_called_an_outage(database: Database) -> None:
    with pytest.raises(psycopg.errors.UndefinedTable):
        database.read("SELECT * FROM nothing")
    with pytest.raises(psycopg.errors.NotNullViolation):
        database.write("INSERT INTO table_version (table_id) VALUES ('a')")
    assert clock(database) > 0
