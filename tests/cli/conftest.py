"""A served house for those who play at the terminal."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

from service.chance import new_id
from service.cli import main
from service.cli.session import OPERATOR
from service.store.operators import OperatorRow, add_operator
from tests.api.site import Site
from tests.support.postgres import Postgres
from tests.support.wire import HOST, Wire, served, wired

COLUMNS: Final = 80


class House:
    """A service with rigged cards, reached over a wire, and a player at a terminal."""

    def __init__(self, site: Site, wire: Wire, port: int, folder: Path) -> None:
        self.site = site
        self.wire = wire
        self.player = f"p-{new_id()[-12:]}"
        self.url = f"http://{HOST}:{port}"
        self.environment = {
            "UPCARD_HOME": str(folder),
            "UPCARD_TOKEN_KEYS": str(site.config.token_keys),
            "UPCARD_BIND": f"{HOST}:{port}",
            "COLUMNS": str(COLUMNS),
        }

    def play(self, *typed: str, options: str = "--table classic-three") -> Result:
        """Run `upcard play` on these lines of input; they end, and it must leave."""
        return CliRunner().invoke(
            main,
            ["play", "--player", self.player, *options.split()],
            input="".join(f"{line}\n" for line in typed),
            env=self.environment,
        )

    def shows(self, *typed: str, options: str = "--table classic-three") -> str:
        """Return what is shown; it must end well and fit into the columns."""
        result = self.play(*typed, options=options)
        assert result.exit_code == 0, result.output
        lines = result.output.splitlines()
        assert max(map(len, lines)) <= COLUMNS
        return result.output


@pytest.fixture(scope="module")
def played_site(
    postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    with postgres.copy() as dsn:
        site = Site(dsn, tmp_path_factory.mktemp("site"))
        add_operator(site.bank, OperatorRow(OPERATOR, "ledger", None, sandbox=False))
        yield site
        site.close()


@pytest.fixture(scope="module")
def port(played_site: Site) -> Iterator[int]:
    with served(played_site.app) as port:
        yield port


@pytest.fixture
def house(played_site: Site, port: int, tmp_path: Path) -> Iterator[House]:
    """Give the house to a new player; what it answers must be as the contract says."""
    played_site.rig.lay(())
    wire = Wire()
    with wired(port, wire) as near:
        yield House(played_site, wire, near, tmp_path)
    faults = played_site.witness.faults.copy()
    played_site.witness.faults.clear()
    assert faults == []
