"""`upcard archive`: what it moves, what it refuses, what it says."""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

from service.cli import main
from tests.api.player import Player
from tests.api.site import Site
from tests.support.money import assert_money_is_right
from tests.support.postgres import Postgres

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def house(
    postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """Give a service whose rounds are of long ago, but for two."""
    with postgres.copy() as dsn:
        site = Site(dsn, tmp_path_factory.mktemp("site"))
        for months in (25, 13, 12, 11, 0):
            ended_months_ago(site, site.player(), months)
        site.player().deal()
        yield site
        site.close()


@pytest.fixture
def run(house: Site, tmp_path: Path) -> Run:
    def run(*arguments: object, **variables: str) -> Result:
        environment = environment_of(house, tmp_path)
        words = ["archive", *map(str, arguments)]
        return CliRunner().invoke(main, words, env=environment | variables)

    return run


def environment_of(house: Site, folder: Path) -> dict[str, str]:
    url = f"postgresql://?{urlencode(conninfo_to_dict(house.dsn))}"
    return {"UPCARD_HOME": str(folder), "DATABASE_URL": url}


def ended_months_ago(site: Site, player: Player, months: int) -> str:
    site.rig.stack("P A,K | U 9 | H 7")
    round_id: str = player.settle(player.deal()).round["id"]
    site.owner(
        f"UPDATE round SET closed_at = now() - interval '{months} months 1 day' "  # noqa: S608 - ours
        f"WHERE round = '{round_id}'"
    )
    return round_id


def logged(site: Site) -> int:
    (found,) = site.owner("SELECT count(DISTINCT round) FROM log")
    return int(found[0])


@pytest.mark.parametrize("age", ["11m", "0y", "12", "12d", "-12m", "1000m", "m"])
def test_rounds_stay_on_line_for_a_year(
    run: Run, house: Site, age: str, tmp_path: Path
) -> None:
    result = run(tmp_path / "archive", "--older-than", age)
    assert result.exit_code == 2
    assert "--older-than" in result.output
    assert logged(house) == 6


def test_a_dry_run_says_how_many_and_moves_none(
    run: Run, house: Site, tmp_path: Path
) -> None:
    for age, count in ((), 3), (("--older-than", "2y"), 1), (("--older-than", "3y"), 0):
        result = run(tmp_path / "archive", "--dry-run", *age)
        assert result.exit_code == 0, result.output
        assert result.output.startswith(f"{count} rounds ended more than ")
    assert not (tmp_path / "archive").exists()
    assert logged(house) == 6


def test_what_is_old_is_moved_once(run: Run, house: Site, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    result = run(folder)
    assert result.exit_code == 0, result.output
    files = sorted(path.name for path in folder.iterdir())
    assert len(files) == 3
    for name in files:
        assert f"{name}: 1 rounds, 2 rows" in result.output
    assert f"UPCARD_ARCHIVE={folder}" in result.output
    assert logged(house) == 3
    again = run(folder, UPCARD_ARCHIVE=str(folder))
    assert again.output == "0 rounds ended more than 12m ago\n"
    assert_money_is_right(house.dsn, archive=folder)


def test_money_is_not_said_to_be_right_without_the_archive(
    house: Site, tmp_path: Path
) -> None:
    environment = environment_of(house, tmp_path)
    result = CliRunner().invoke(main, ["reconcile"], env=environment)
    assert result.exit_code == 1
    assert "UPCARD_ARCHIVE names no folder" in result.output


def test_a_folder_that_cannot_be_made_is_said_to_be(
    run: Run, house: Site, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    ended_months_ago(house, house.player(), 13)
    result = run(tmp_path / "file" / "archive")
    assert result.exit_code == 1
    assert "Not a directory" in result.output
