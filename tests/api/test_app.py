"""What the service refuses to start with."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from service.app import WrongShuffler, create_app
from service.keyfile import KeyFault
from service.store.counter import catch_up
from service.store.errors import SchemaWrong
from tests.api.site import Rig, Site, config_of
from tests.support.postgres import Postgres, quiet

AHEAD = """
INSERT INTO significant_event (event, kind, at, who, tx)
SELECT gen_random_uuid(), 'seal_made', now(), 'job',
    (pg_current_xact_id()::text::bigint + 100)::text::xid8
"""


@pytest.fixture
def empty(postgres: Postgres) -> Iterator[str]:
    with postgres.copy(empty=True) as dsn:
        yield dsn


def test_production_deals_by_the_systems_chance_alone(dsn: str, tmp_path: Path) -> None:
    config = config_of(dsn, tmp_path, environment="production")
    with pytest.raises(WrongShuffler, match=r"'rigged' is refused.*'os-csprng'"):
        create_app(config, shuffler=Rig())
    app = create_app(config)
    assert app.test_client().get("/livez").status_code == 200
    app.extensions["upcard"].database.close()


def test_a_database_without_the_schema_is_refused(empty: str, tmp_path: Path) -> None:
    with pytest.raises(SchemaWrong, match="upcard migrate"):
        create_app(config_of(empty, tmp_path))


def test_a_restored_database_is_refused_until_it_has_caught_up(
    dsn: str, tmp_path: Path
) -> None:
    app = create_app(config_of(dsn, tmp_path))
    with psycopg.connect(dsn) as owner:
        owner.execute(AHEAD)
    assert app.test_client().get("/readyz").status_code == 503
    app.extensions["upcard"].database.close()
    with pytest.raises(SchemaWrong, match="restored from a dump"):
        create_app(config_of(dsn, tmp_path))
    catch_up(dsn, quiet)
    app = create_app(config_of(dsn, tmp_path))
    assert app.test_client().get("/readyz").status_code == 200
    app.extensions["upcard"].database.close()


def test_a_bad_key_file_is_refused(dsn: str, tmp_path: Path) -> None:
    config = config_of(dsn, tmp_path)
    config.shoe_keys.write_text("{}")
    with pytest.raises(KeyFault, match=r"shoe-keys\.json"):
        create_app(config)


def test_the_environment_configures_what_no_argument_does(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_of(dsn, tmp_path)
    for name in ("TOKEN", "SHOE"):
        path = tmp_path / f"{name.lower()}-keys.json"
        monkeypatch.setenv(f"UPCARD_{name}_KEYS", str(path))
    monkeypatch.setenv("UPCARD_HOME", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", dsn_url(dsn))
    app = create_app()
    assert app.test_client().get("/readyz").status_code == 200
    app.extensions["upcard"].database.close()


def dsn_url(dsn: str) -> str:
    """Return a connection string as a URL."""
    parts = {key: str(value) for key, value in conninfo_to_dict(dsn).items()}
    login = f"{parts.get('user', '')}:{parts.get('password', '')}".rstrip(":")
    rest = {k: v for k, v in parts.items() if k in {"host", "port"}}
    query = "&".join(f"{key}={quote(value, safe='')}" for key, value in rest.items())
    return f"postgresql://{login}@/{parts['dbname']}?{query}"


def test_another_shuffler_is_named_in_every_round(site: Site) -> None:
    assert site.player().deal(1000).round["shuffler"] == "rigged"
