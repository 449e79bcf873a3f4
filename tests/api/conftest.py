"""One service for all tests of the API; every answer of it is held to the contract."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.api.operator import Operator
from tests.api.player import Player
from tests.api.site import Site
from tests.support.money import assert_money_is_right
from tests.support.postgres import Postgres
from tests.support.proved import assert_all_is_proved

LAST: Final = "test_every_answer.py"


@pytest.fixture(scope="session")
def whole_site(
    postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    with postgres.copy() as dsn:
        site = Site(dsn, tmp_path_factory.mktemp("site"))
        yield site
        site.close()
        assert_money_is_right(dsn)
        assert_all_is_proved(dsn, site.config.shoe_keys, moved=True)


@pytest.fixture
def site(whole_site: Site) -> Iterator[Site]:
    """Give the service, and see afterwards that its answers were as documented."""
    whole_site.rig.lay(())
    yield whole_site
    faults = whole_site.witness.faults.copy()
    whole_site.witness.faults.clear()
    assert faults == []


@pytest.fixture
def alice(site: Site) -> Player:
    return site.player()


@pytest.fixture
def bob(site: Site) -> Player:
    return site.player()


@pytest.fixture
def casino(site: Site) -> Operator:
    """Give the operator whose players alice and bob are."""
    return site.operators["dev"]


@pytest.fixture
def other(site: Site) -> Operator:
    """Give an operator who has nothing to do with them."""
    return site.operators["other"]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Run the last test last, and only after all the others."""
    last = [item for item in items if item.path.name == LAST]
    if not last:
        return
    items[:] = [item for item in items if item.path.name != LAST] + last
    here = Path(__file__).parent
    run = {item.path for item in items}
    options = ("keyword", "markexpr", "lf", "deselect")
    if set(here.glob("test_*.py")) - run or any(
        config.getoption(name, None) for name in options
    ):
        # It asks whether the other tests have seen everything, so after some of them
        # there is nothing to ask; the whole gate runs all of them.
        for item in last:
            item.add_marker(
                pytest.mark.skip(reason="only after the whole of tests/api")
            )
