"""The jackpots that are loaded, and how their meters stand.

A meter that is shown is at most ``SHOWN_SECONDS`` old. A hit locks the meter's row in
its own transaction, adds every wager that is committed by then, and resets it.
"""

import time
from collections.abc import Callable, Mapping
from typing import Final

from service.jackpotfile import parse_jackpot
from service.meter import Jackpot, Meter, Shown
from service.store.database import Database
from service.store.jackpot_versions import all_jackpot_versions
from service.store.jackpots import (
    lock_meter,
    make_meter,
    put_meter,
    read_meter,
    return_hits,
    take_contributions,
)

FRESH_SECONDS: Final = 5
SHOWN_SECONDS: Final = 1
_MANY: Final = 500
"""So many waiting rows are added to the meter by who reads it: where no job runs."""


class Meters:
    """Every jackpot, its operators' meters, and the one way in which these change."""

    def __init__(
        self, database: Database, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._clock = clock
        self._read_at = -float("inf")
        self._versions: Mapping[str, Jackpot] = {}
        self._newest: Mapping[str, Jackpot] = {}
        self._shown: dict[tuple[str, str], tuple[float, Meter]] = {}

    def jackpots(self) -> tuple[Jackpot, ...]:
        """Return the newest version of each jackpot, by name.

        Raises DatabaseUnavailable.
        """
        self._refresh()
        return tuple(self._newest[name] for name in sorted(self._newest))

    def of(self, table_id: str, currency: str) -> Jackpot | None:
        """Return the jackpot of a table and currency. Raises DatabaseUnavailable."""
        for jackpot in self.jackpots():
            if jackpot.currency == currency and table_id in jackpot.tables:
                return jackpot
        return None

    def in_force(self, meter: Meter) -> Jackpot:
        """Return the version that a meter goes by. Raises DatabaseUnavailable."""
        self._refresh()
        if meter.version not in self._versions:
            self._refresh(at_once=True)  # another process has loaded it just now
        return self._versions[meter.version]

    def shown(self, operator: str, jackpot: Jackpot) -> Shown:
        """Return what an operator's players are shown. Raises DatabaseUnavailable."""
        return Shown(jackpot.jackpot_id, self.meter(operator, jackpot).amount)

    def meter(self, operator: str, jackpot: Jackpot) -> Meter:
        """Return an operator's meter with all committed wagers, as of a second ago.

        One that is not there yet is made: from then on the file in force is known.
        Raises DatabaseUnavailable.
        """
        place = (operator, jackpot.jackpot_id)
        kept = self._shown.get(place)
        now = self._clock()
        if kept is not None and now - kept[0] < SHOWN_SECONDS:
            return kept[1]
        read = read_meter(self._database, *place)
        if read is None:
            make_meter(self._database, Meter.new(operator, jackpot))
            read = read_meter(self._database, *place)
            assert read is not None, "meters are never taken away"
        if read.deals > _MANY:
            self.fold(operator, jackpot.jackpot_id)
        meter = read.meter.with_wagers(read.wagers, self.in_force(read.meter))
        self._shown[place] = (now, meter)
        return meter

    def forget(self, operator: str, jackpot_id: str) -> None:
        """Read a meter again before it is shown: it has changed here."""
        self._shown.pop((operator, jackpot_id), None)

    def fold(self, operator: str, jackpot_id: str) -> bool:
        """Add the committed wagers to a meter; False when somebody else is at it.

        Raises DatabaseUnavailable.
        """
        with self._database.transaction():
            meter = self._locked(operator, jackpot_id, waits=False)
            if meter is None:
                return False
            put_meter(self._database, meter)
        return True

    def reserve(self, operator: str, jackpot: Jackpot) -> int:
        """Take what the meter holds for a hit, and reset it; return the amount.

        Call it in the transaction that writes the hit: if that fails, the meter is as
        before. A changed file is in force from now on. Raises DatabaseUnavailable.
        """
        meter = self._locked(operator, jackpot.jackpot_id)
        if meter is None:
            make_meter(self._database, Meter.new(operator, jackpot))
            meter = self._locked(operator, jackpot.jackpot_id)
        assert meter is not None, "meters are never taken away"
        amount, after = meter.hit(self._newest_of(jackpot.jackpot_id))
        put_meter(self._database, after)
        return amount

    def give_back(self, account: str, round_id: str) -> int:
        """Put a round's hits back into the meters in force; return their sum.

        A part of the transaction that takes the round back; a hit goes back once, and
        demo money has none. Raises DatabaseUnavailable.
        """
        total = 0
        with self._database.transaction():
            for operator, jackpot_id, amount in return_hits(
                self._database, account, round_id
            ):
                meter = self._locked(operator, jackpot_id)
                assert meter is not None, "a hit was of a meter"
                jackpot = self.in_force(meter)
                put_meter(self._database, meter.given_back(amount, jackpot))
                self.forget(operator, jackpot_id)
                total += amount
        return total

    def move_overflow(self, operator: str, jackpot_id: str) -> int:
        """Move what fits of the overflow into the meter; return how much.

        Raises DatabaseUnavailable.
        """
        with self._database.transaction():
            meter = self._locked(operator, jackpot_id)
            if meter is None:
                return 0
            amount = meter.room(self.in_force(meter))
            put_meter(self._database, meter.with_overflow(amount))
        return amount

    def _locked(
        self, operator: str, jackpot_id: str, *, waits: bool = True
    ) -> Meter | None:
        """Lock a meter and add what is committed; who calls it puts it back."""
        meter = lock_meter(self._database, operator, jackpot_id, waits=waits)
        if meter is None:
            return None
        wagers = take_contributions(self._database, operator, jackpot_id)
        return meter.with_wagers(wagers, self.in_force(meter))

    def _newest_of(self, jackpot_id: str) -> Jackpot:
        """Return the version that was loaded last, even if it was just now."""
        self._refresh(at_once=True)
        return self._newest[jackpot_id]

    def _refresh(self, *, at_once: bool = False) -> None:
        now = self._clock()
        if not at_once and now - self._read_at < FRESH_SECONDS:
            return
        known = self._versions
        rows = all_jackpot_versions(self._database)
        versions = {
            row.version: known.get(row.version)
            or parse_jackpot(row.source, row.jackpot_id)
            for row in rows
        }
        self._newest = {row.jackpot_id: versions[row.version] for row in rows}
        self._versions = versions
        self._read_at = now
