"""A whole service, its clock, and the jobs that end rounds."""

import os
from pathlib import Path
from typing import Any, Final

from service.chance import OsShuffler
from service.house import House
from service.jobs.ending import SETTLE, VOID, Task
from service.jobs.job import run_once
from service.jobs.rounds import Rounds
from service.sealing import KeyRing
from service.tablefile import shipped_tables
from tests.api.player import Got, Player
from tests.api.site import Site
from tests.support.clock import DAY, SECOND, Clock, instant_of
from tests.support.gates import install_gates
from tests.wallet.casino import Log

BEGIN: Final = instant_of("2026-11-30T12:00:00.123456Z")
GRACE: Final = 60
MANY: Final = bool(os.environ.get("UPCARD_MANY"))
"""Whether it is `make voids` that asks, and not the gate."""
LATER: Final = 10_000 * DAY


class Night:
    """Where rounds are left, and found by the jobs."""

    def __init__(self, dsn: str, folder: Path) -> None:
        self.clock: Final = Clock(dsn)
        self.site: Final = Site(self.clock.dsn, folder, _tables())
        self.log: Final = Log()
        install_gates(dsn)

    @property
    def house(self) -> House:
        """What the jobs work with: their shuffler never shuffles."""
        api = self.site.api
        ring = KeyRing.from_file(self.site.config.shoe_keys)
        parts = (api.database, api.catalog, api.wallets, ring, OsShuffler())
        return House(*parts, api.meters)

    def job(self, task: Task, batch: int = 100) -> Rounds:
        return Rounds(
            self.house, task, GRACE if task is SETTLE else 0, self.log.logger, batch
        )

    def begin(self, at: int = BEGIN) -> None:
        self.site.rig.lay(())
        self.log.lines.clear()
        self.clock.set(at)

    def void(self, batch: int = 100) -> list[str]:
        """Run the job that voids, once; return what it did."""
        return self._ran(VOID, batch)

    def settle(self, batch: int = 100) -> list[str]:
        """Run the job that settles, once; return what it did."""
        return self._ran(SETTLE, batch)

    def end_all(self) -> None:
        """Let all that is open come to its end."""
        self.clock.set(BEGIN + LATER)
        self.void()
        self.clock.set(BEGIN + LATER + GRACE * SECOND)
        self.settle()
        assert not self.site.owner("SELECT round FROM round WHERE closed_at IS NULL")

    def rows(self, got: Got) -> list[tuple[Any, ...]]:
        """Return key, player and data of a round's rows."""
        id_ = got.round["id"]
        return self.site.owner(
            f"SELECT key, player, data FROM log WHERE round = '{id_}' ORDER BY ver"  # noqa: S608 - an id of ours
        )

    def has(self, player: Player) -> int:
        return int(player.get("/v1/balance").json["amount"])

    def close(self) -> None:
        self.site.close()
        self.clock.close()

    def _ran(self, task: Task, batch: int) -> list[str]:
        words: list[str] = []
        assert run_once([self.job(task, batch)], self.log.logger, words.append)
        return words


def _tables() -> list[tuple[str, str]]:
    """Return tables that end rounds in the other ways."""
    text = dict(shipped_tables())["classic-three.toml"]
    return [
        (
            f"{name}.toml",
            text.replace("classic-three", name).replace(
                'on_expiry = "void"', f'on_expiry = "{ways}"'
            ),
        )
        for name, ways in (("stands", "auto_stand"), ("keeps", "forfeit"))
    ]
