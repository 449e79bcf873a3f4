"""Add the bonus wagers of the last deals to the jackpots' meters."""

from typing import Final

from service.jobs.job import Note
from service.meters import Meters
from service.store.database import Database
from service.store.jackpots import all_meters, read_meter


class Jackpots:
    """Keeps what is added up at each look short; copies of it pass each other by."""

    name: Final = "jackpots"

    def __init__(self, database: Database, meters: Meters) -> None:
        self._database = database
        self._meters = meters

    def run(self, note: Note) -> bool:
        """Add what waits for each meter; there is no more then."""
        for operator, jackpot_id, deals in self._waiting():
            if deals and self._meters.fold(operator, jackpot_id):
                note("folded")
        return False

    def look(self) -> list[str]:
        """Say for each meter how many deals wait."""
        return [
            f"{operator}: {deals} deals to be added to {jackpot_id}"
            for operator, jackpot_id, deals in self._waiting()
        ]

    def _waiting(self) -> list[tuple[str, str, int]]:
        waiting = []
        for meter in all_meters(self._database):
            read = read_meter(self._database, meter.operator, meter.jackpot_id)
            assert read is not None, "meters are never taken away"
            waiting.append((meter.operator, meter.jackpot_id, read.deals))
        return waiting
