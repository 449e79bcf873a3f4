"""The database is away: 503 wherever it is needed, and all is well when it is back."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service.app import create_app
from tests.api.player import Player, requests_on, url_of
from tests.api.site import Site, Witness
from tests.support.postgres import Postgres

NEEDS_NONE: Final = {"get_openapi", "livez"}


class Outage:
    """A site whose database can be taken away."""

    def __init__(self, dsn: str, folder: Path) -> None:
        self.site = Site(dsn, folder)
        self.name = conninfo_to_dict(dsn)["dbname"]
        self.admin = psycopg.connect(
            make_conninfo(dsn, dbname="postgres"), autocommit=True
        )

    @contextmanager
    def away(self) -> Iterator[None]:
        """Let nobody connect, and end the connections that there are."""
        self._allow("false")
        self.admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
            [self.name],
        )
        try:
            yield
        finally:
            self._allow("true")

    def _allow(self, word: str) -> None:
        statement = f'ALTER DATABASE "{self.name}" ALLOW_CONNECTIONS {word}'
        self.admin.execute(statement.encode())


@pytest.fixture(scope="module")
def outage(
    postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Outage]:
    with postgres.copy() as dsn:
        outage = Outage(dsn, tmp_path_factory.mktemp("outage"))
        yield outage
        outage.site.close()
        outage.admin.close()


@pytest.fixture
def seen_elsewhere(outage: Outage, whole_site: Site) -> Iterator[None]:
    """Let what this site answers count as seen."""
    yield
    whole_site.witness.seen |= outage.site.witness.seen
    assert outage.site.witness.faults == []


@pytest.mark.usefixtures("seen_elsewhere")
def test_every_operation_says_so_and_comes_back(outage: Outage) -> None:
    site = outage.site
    player = site.player()
    site.rig.stack("P T,9 | U 7 | H T")
    dealt = player.deal(1000)
    with outage.away():
        # A worker that starts meanwhile has read no table yet.
        site.api.database.close()
        site.app = create_app(site.config, shuffler=site.rig)
        site.api = site.app.extensions["upcard"]
        away = Witness(site.app)
        away.seen, away.faults = site.witness.seen, site.witness.faults
        site.app.wsgi_app = away  # type: ignore[method-assign]  # as Flask says
        late = Player(site.app, player.name, "USD")
        for request in requests_on(url_of(dealt)):
            got = late.send(request)
            if request.operation in NEEDS_NONE:
                assert got.status == 200
            else:
                assert got.refusal == (503, "database_unavailable")
                assert got.headers["Retry-After"] == "1"
    assert late.get("/readyz").status == 200
    assert late.settle(late.act(dealt, "stand")).round["payout"] == 2000


@pytest.mark.usefixtures("seen_elsewhere")
def test_a_request_that_met_the_outage_is_safe_to_repeat(outage: Outage) -> None:
    player = outage.site.player()
    outage.site.rig.stack("P 2,3 | U 7 | H T | 4,4")
    with outage.away():
        assert player.deal(1000, idempotency_key="a-deal-key").status == 503
    dealt = player.deal(1000, idempotency_key="a-deal-key")
    assert dealt.status == 201
    with outage.away():
        assert player.act(dealt, "hit", idempotency_key="a-hit-key").status == 503
    got = player.act(dealt, "hit", idempotency_key="a-hit-key")
    assert (got.status, got.version) == (200, '"2"')
    again = player.act(dealt, "hit", idempotency_key="a-hit-key")
    assert (again.body, again.headers["Idempotent-Replayed"]) == (got.body, "true")
