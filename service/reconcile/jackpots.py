"""Jackpots against the log: every bonus wager is counted, every hit reserved once.

A meter's own law needs no log: contributions + resets = current + overflow + reserved
+ paid. That the contributions and the hits are those of the log is looked at here.
"""

from collections import Counter
from collections.abc import Iterator

from service.reconcile.book import Book, Difference
from service.store.reconciliation import HitRow, JackpotRows

Place = tuple[str, str]
"""Operator and jackpot."""


class Jackpots:
    """What the log says of jackpots, added up account by account."""

    def __init__(self, rows: JackpotRows, operator: str | None) -> None:
        """Take what is written of jackpots; with an `operator` look at his alone."""
        self._rows = rows
        self._operator = operator
        self._wagers: Counter[Place] = Counter()
        self._hits: dict[tuple[str, int], HitRow] = {}

    def take(self, book: Book) -> None:
        """Add what the logs of an account say. Demo money never counts."""
        for story in book.stories.values():
            if story.mode != "real":
                continue
            if story.contributed is not None:
                jackpot_id, wagers = story.contributed
                self._wagers[story.operator, jackpot_id] += wagers
            for ver, box, jackpot_id, amount in story.hits:
                place = (book.account, story.round_id, box, ver)
                what = (story.operator, jackpot_id, amount)
                back = story.status == "malfunction"
                self._hits[story.round_id, box] = HitRow(*place, *what, returned=back)

    def differences(self) -> Iterator[Difference]:
        """Yield what does not fit, once all accounts were taken."""
        for found in (*self._unlike_log(), *self._unlike_hits(), *self._unbalanced()):
            if self._operator in {None, found.operator}:
                yield found

    def _unlike_log(self) -> Iterator[Difference]:
        counted: Counter[Place] = Counter()
        for meter in self._rows.meters:
            counted[meter.operator, meter.jackpot_id] += meter.wagers
        for operator, jackpot_id, wagers in self._rows.waiting:
            counted[operator, jackpot_id] += wagers
        for place in sorted(counted.keys() | self._wagers.keys()):
            if counted[place] != self._wagers[place]:
                yield Difference(
                    "jackpot_wagers_wrong",
                    place[0],
                    name=place[1],
                    expected=self._wagers[place],
                    found=counted[place],
                )

    def _unlike_hits(self) -> Iterator[Difference]:
        written = {(row.round_id, row.box): row for row in self._rows.hits}
        for place in sorted(written.keys() | self._hits.keys()):
            told, row = self._hits.get(place), written.get(place)
            if told is None and row is not None:
                yield _of(row, "jackpot_hit_without_event", None, row.amount)
            elif row is None and told is not None:
                yield _of(told, "jackpot_hit_missing", told.amount, None)
            elif row is not None and told is not None:
                if row._replace(returned=told.returned) != told:
                    yield _of(row, "jackpot_hit_wrong", told.amount, row.amount)
                elif told.returned and not row.returned:
                    yield _of(row, "jackpot_hit_not_returned", row.amount, 0)
                elif row.returned and not told.returned:
                    yield _of(row, "jackpot_hit_returned", 0, row.amount)

    def _unbalanced(self) -> Iterator[Difference]:
        held: Counter[Place] = Counter()
        for row in self._rows.hits:
            if not row.returned:
                held[row.operator, row.jackpot_id] += row.amount
        for meter in self._rows.meters:
            rest = meter.rest(held[meter.operator, meter.jackpot_id])
            if rest:
                yield Difference(
                    "jackpot_unbalanced",
                    meter.operator,
                    name=f"{meter.jackpot_id}, in millionths",
                    expected=0,
                    found=rest,
                )


def _of(row: HitRow, kind: str, expected: int | None, found: int | None) -> Difference:
    return Difference(
        kind,
        row.operator,
        row.account,
        row.round_id,
        row.ver,
        name=row.jackpot_id,
        expected=expected,
        found=found,
    )
