"""Rounds whose logs are in files are shown as before, where the files are to be had."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from service.app import create_app
from service.archive.files import Archive
from service.archive.move import archive_rounds
from service.store.database import ARCHIVER_ROLE, Database, clock
from tests.api.operator import Operator, url_of
from tests.api.player import Got, Player
from tests.api.site import Site, Witness, config_of
from tests.support.money import assert_money_is_right, reconciled
from tests.support.postgres import Postgres

DAY: Final = 86_400_000_000
STORY: Final = "P 8,8 | U A | H 6 | 3,T,9"
MOVES: Final = "insure split double stand settle"
KEPT: Final = ("", "/events", "/proof")


class Two:
    """A service where the archive is, and the same one where it is not."""

    def __init__(self, site: Site, folder: Path) -> None:
        self.without = site
        self.folder = folder
        config = config_of(site.dsn, site.config.home, archive=folder)
        self.app = create_app(config, shuffler=site.rig)
        self.witness = Witness(self.app)
        self.app.wsgi_app = self.witness  # type: ignore[method-assign]  # as Flask says
        self.casino = Operator(self.app, site.operators["dev"].key)
        self.alice = site.player()

    def here(self) -> Player:
        """Give alice, who asks where the archive is."""
        return Player(self.app, self.alice.name, self.alice.currency)

    def played(self) -> Got:
        """Play a round with everything in it."""
        self.without.rig.stack(STORY)
        return self.alice.play(self.alice.deal(table="american-five"), MOVES)

    def archive(self) -> None:
        """Archive all that has ended, as if that were long ago."""
        with closing(Database(self.without.dsn, role=ARCHIVER_ROLE)) as database:
            tomorrow = (clock(database) // DAY + 1) * DAY
            archive_rounds(database, Archive(self.folder), tomorrow, lambda _: None)


@pytest.fixture(scope="module")
def two(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """Give services on a database of their own: archiving takes all there is."""
    with postgres.copy() as dsn:
        site = Site(dsn, tmp_path_factory.mktemp("site"))
        both = Two(site, tmp_path_factory.mktemp("archive"))
        yield both
        assert [*site.witness.faults, *both.witness.faults] == []
        assert_money_is_right(dsn, archive=both.folder)
        site.close()
        both.witness.api.database.close()


def looks(player: Player, casino: Operator, round_id: str) -> list[Any]:
    """Return all that is shown of a round, and of the list that it is in."""
    paths = [f"/v1/rounds/{round_id}{more}" for more in KEPT]
    got = [player.get(path) for path in (*paths, f"/v1/history/{round_id}")]
    theirs = f"{url_of(player.name)}/rounds/{round_id}/rows"
    got += [casino.get(theirs), player.get("/v1/history")]
    day = got[0].json["opened_at"][:10]
    got.append(player.get(f"/v1/history.csv?from={day}&to={day}"))
    assert {one.status for one in got} == {200}
    return [one.body for one in got]


def test_an_archived_round_is_shown_as_before(two: Two) -> None:
    round_id = two.played().round["id"]
    before = looks(two.here(), two.casino, round_id)
    two.archive()
    (rows,) = two.without.owner("SELECT count(*) FROM log")[0]
    assert rows == 0
    after = looks(two.here(), two.casino, round_id)
    # The one thing that is new of it: the list says that it is archived.
    told = b'"archived":true'
    assert told in after[-2]
    after[-2] = after[-2].replace(told, b'"archived":false')
    assert after == before


def test_a_repeat_of_its_settlement_is_answered(two: Two) -> None:
    settled = two.played()
    two.archive()
    again = two.here().settle(settled)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.round == settled.round


def test_without_the_archive_it_is_said_and_lists_go_on(two: Two) -> None:
    old = two.played()
    two.archive()
    new = two.played()
    round_id = old.round["id"]
    away = (503, "archive_unavailable")
    for path in (f"/v1/rounds/{round_id}", f"/v1/history/{round_id}"):
        got = two.alice.get(path)
        assert got.refusal == away
        assert got.headers["Retry-After"] == "60"
    assert two.alice.settle(old).refusal == away
    first, second = two.alice.get("/v1/history?limit=2").json["items"]
    assert (first["round_id"], first["archived"]) == (new.round["id"], False)
    assert (second["round_id"], second["archived"]) == (round_id, True)
    for name in ("staked", "returned", "net", "status", "result"):
        assert second[name] == first[name]
    for name in ("dealer", "boxes", "hands", "balance_before", "balance_after"):
        assert (second[name], first[name] is None) == (None, False)
    day = new.round["opened_at"][:10]
    table = two.alice.get(f"/v1/history.csv?from={day}&to={day}")
    assert new.round["id"].encode() in table.body


def test_a_file_that_is_gone_is_said_to_be(two: Two) -> None:
    round_id = two.played().round["id"]
    two.archive()
    ((name,),) = two.without.owner(
        f"SELECT archived_in FROM round WHERE round = '{round_id}'"  # noqa: S608 - an id of ours
    )
    path = two.folder / name
    path.rename(path.with_suffix(".away"))
    got = two.here().get(f"/v1/rounds/{round_id}")
    assert got.refusal == (503, "archive_unavailable")
    path.with_suffix(".away").rename(path)
    assert two.here().get(f"/v1/rounds/{round_id}").status == 200


def test_a_table_is_free_after_its_round_is_archived(two: Two) -> None:
    two.played()
    two.archive()
    assert two.here().get("/v1/rounds?status=open").json["items"] == []
    two.played()


def test_money_is_held_against_archived_rounds_too(two: Two) -> None:
    two.played()
    two.archive()
    report = reconciled(two.without.dsn, archive=two.folder)
    assert report.differences == ()
    assert report.counts["rounds"] >= 1
    assert report.counts["commands"] >= 6
