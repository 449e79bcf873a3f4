"""Migrations go forward, once, and the service refuses any other schema."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from service import shipped
from service.chance import new_id
from service.store import schema
from service.store.database import Database
from service.store.errors import DatabaseUnavailable, SchemaWrong
from tests.support.postgres import Postgres, quiet
from tests.support.waiting import at_once

LAST = len(schema.migrations())
ALL = list(range(1, LAST + 1))
NEXT = f"{LAST + 1:04}"
OLD_ROUND = """
WITH ids AS (SELECT gen_random_uuid() AS account, gen_random_uuid() AS round),
logged AS (
    INSERT INTO log (account, round, ver, player, at, key, req, data, hash)
    SELECT account, round, 1, 'ann', now(), 'key-0001', '', '{"events": [
        {"type": "round_opened/1", "expires_at": 1788000000123457}]}',
        sha256('') FROM ids
)
INSERT INTO round (account, round, log_account, operator, mode, table_id,
    table_version, currency, status, opened_at, stake)
SELECT account, round, account, 'dev', 'real', 'a-table', 'v', 'EUR', 'playing',
    now(), 100 FROM ids
"""


@pytest.fixture
def empty(postgres: Postgres) -> Iterator[str]:
    with postgres.copy(empty=True) as dsn:
        yield dsn


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the migrations, to change."""
    return shutil.copytree(shipped("migrations"), tmp_path / "migrations")


def numbers(migrations: list[schema.Migration]) -> list[int]:
    return [migration.number for migration in migrations]


def refusal(dsn: str) -> str:
    """What the service says of a database's schema as it starts."""
    database = Database(dsn)
    try:
        with pytest.raises(SchemaWrong) as caught:
            schema.check(database)
    finally:
        database.close()
    return str(caught.value)


def test_a_fresh_database_gets_all_and_the_second_run_finds_nothing(empty: str) -> None:
    assert numbers(schema.pending(empty)) == ALL
    assert numbers(schema.migrate(empty, quiet)) == ALL
    assert schema.pending(empty) == []
    assert schema.migrate(empty, quiet) == []
    database = Database(empty)
    schema.check(database)
    database.close()


def test_two_runs_at_once_run_each_migration_once(empty: str) -> None:
    runs = at_once([lambda: schema.migrate(empty, quiet)] * 2)
    ran = [numbers(run) for run in runs if not isinstance(run, Exception)]
    assert sorted(ran) == [[], ALL]


def test_the_service_refuses_a_database_without_a_schema(empty: str) -> None:
    assert "run: upcard migrate" in refusal(empty)


def test_the_service_refuses_a_database_that_lacks_a_migration(dsn: str) -> None:
    with psycopg.connect(dsn) as owner:
        owner.execute("DELETE FROM migration WHERE number = 2")
    assert "lacks 0002_rounds; run: upcard migrate" in refusal(dsn)


def test_the_service_refuses_a_database_of_a_later_release(dsn: str) -> None:
    with psycopg.connect(dsn) as owner:
        owner.execute("INSERT INTO migration VALUES (%s, 'later', 'x')", [NEXT])
    assert f"{NEXT}_later, of a later release" in refusal(dsn)
    with pytest.raises(SchemaWrong, match="of a later release"):
        schema.migrate(dsn, quiet)


def test_a_migration_that_was_run_can_never_change(dsn: str, folder: Path) -> None:
    with (folder / "0001_service_role.sql").open("a") as file:
        file.write("-- one word more\n")
    with pytest.raises(SchemaWrong, match="0001_service_role was changed"):
        schema.migrate(dsn, quiet, folder)
    with psycopg.connect(dsn) as owner:
        owner.execute("UPDATE migration SET checksum = 'x' WHERE number = 2")
    assert "0002_rounds was changed" in refusal(dsn)


def test_a_migration_happens_wholly_or_not_at_all(dsn: str, folder: Path) -> None:
    broken = folder / f"{NEXT}_broken.sql"
    broken.write_text("CREATE TABLE half (a int); SELECT 1 / 0;")
    with pytest.raises(psycopg.errors.DivisionByZero):
        schema.migrate(dsn, quiet, folder)
    # Nor without its entry in the list.
    broken.write_text(
        "CREATE TABLE half (a int); INSERT INTO migration VALUES (3, '', '')"
    )
    with pytest.raises(psycopg.errors.UniqueViolation):
        schema.migrate(dsn, quiet, folder)
    broken.write_text("CREATE TABLE half (a int);")
    assert numbers(schema.migrate(dsn, quiet, folder)) == [int(NEXT)]


@pytest.mark.parametrize(
    "name", ["9000_gap.sql", f"{LAST + 1}_short.sql", f"{NEXT}-dash.sql"]
)
def test_a_file_with_a_wrong_name_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_text("")
    with pytest.raises(SchemaWrong, match=f"the name must be {NEXT}_"):
        schema.migrations(folder)


def test_an_owner_without_rights_learns_what_to_ask_for(
    postgres: Postgres, dsn: str, empty: str
) -> None:
    del dsn  # the role upcard_service exists on this server
    owner = f"owner_{new_id().replace('-', '')}"
    database = psycopg.conninfo.conninfo_to_dict(empty)["dbname"]
    as_owner = psycopg.conninfo.make_conninfo(empty, options=f"-c role={owner}")
    with psycopg.connect(postgres.dsn("postgres"), autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {owner} NOLOGIN")
        admin.execute(f'ALTER DATABASE "{database}" OWNER TO {owner}')
        with pytest.raises(SchemaWrong, match="upcard_archiver TO <the owner>"):
            schema.migrate(as_owner, quiet)
        admin.execute(f"GRANT upcard_service, upcard_archiver TO {owner}")
        assert numbers(schema.migrate(as_owner, quiet)) == ALL
        admin.execute(f"REVOKE upcard_service, upcard_archiver FROM {owner}")
        admin.execute(f'ALTER DATABASE "{database}" OWNER TO CURRENT_USER')
    with psycopg.connect(empty, autocommit=True) as admin:
        admin.execute(f"REASSIGN OWNED BY {owner} TO CURRENT_USER")
        admin.execute(f"DROP OWNED BY {owner}")
        admin.execute(f"DROP ROLE {owner}")


def test_a_database_that_is_away_is_said_to_be() -> None:
    with pytest.raises(DatabaseUnavailable):
        schema.migrate("postgresql://a@/b?host=/nonexistent", quiet)


def test_rounds_dealt_before_they_had_a_time_get_that_of_their_log(
    empty: str, folder: Path
) -> None:
    later = [path for path in folder.glob("*.sql") if path.name >= "0005"]
    kept = {path: path.read_bytes() for path in later}
    for path in later:
        path.unlink()
    schema.migrate(empty, quiet, folder)
    with psycopg.connect(empty) as owner:
        owner.execute(OLD_ROUND)
    for path, content in kept.items():
        path.write_bytes(content)
    schema.migrate(empty, quiet, folder)
    with psycopg.connect(empty) as owner:
        found = owner.execute(
            "SELECT extract(epoch FROM expires_at) * 1000000 FROM round"
        ).fetchall()
    assert [int(at) for (at,) in found] == [1_788_000_000_123_457]
