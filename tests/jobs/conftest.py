"""One service for all tests of the jobs, whose clock the tests set."""

from collections.abc import Iterator

import pytest

from tests.api.player import Player
from tests.jobs.night import Night
from tests.support.money import assert_money_is_right
from tests.support.postgres import Postgres
from tests.support.proved import assert_all_is_proved


@pytest.fixture(scope="session")
def whole_night(
    postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Night]:
    with postgres.copy() as dsn:
        night = Night(dsn, tmp_path_factory.mktemp("night"))
        yield night
        assert_all_is_proved(dsn, night.site.config.shoe_keys)
        night.close()


@pytest.fixture
def night(whole_night: Night) -> Iterator[Night]:
    """Give the service at a time of its own; afterwards no round is left and no cent.

    What it answered was as documented.
    """
    whole_night.begin()
    yield whole_night
    whole_night.end_all()
    assert_money_is_right(whole_night.site.dsn)
    faults = whole_night.site.witness.faults.copy()
    whole_night.site.witness.faults.clear()
    assert faults == []


@pytest.fixture
def alice(night: Night) -> Player:
    return night.site.player()
