"""A strategy as players print it: by total, softness and pair, against the upcard.

Codes: S stand, H hit, D double or else hit, Ds double or else stand, P split. A pair
that is not split is played by its total, and its cell shows how.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, Self, cast

from service.analysis.ranks import ACE, LABELS, RANKS
from service.rules.cards import BLACKJACK, TEN

Code = Literal["S", "H", "D", "Ds", "P"]
Move = Literal["hit", "stand", "double", "split"]

CODES: Final[tuple[Code, ...]] = ("S", "H", "D", "Ds", "P")
UPCARDS: Final = (*RANKS[1:], ACE)
HARD: Final = range(4, BLACKJACK + 1)
SOFT: Final = range(12, BLACKJACK + 1)

Row = tuple[Code, ...]
"""A cell for each of UPCARDS."""


class BadChart(ValueError):
    """A strategy file that is none: what is wrong with it."""


class Chart(NamedTuple):
    """One cell per hand and upcard; pairs are by rank, an ace is 1."""

    hard: Mapping[int, Row]
    soft: Mapping[int, Row]
    pairs: Mapping[int, Row]

    def move(
        self,
        points: int,
        upcard: int,
        *,
        soft: bool,
        pair: int | None,
        double: bool,
    ) -> Move:
        """Return the move of a hand; ``pair`` is its rank if it may be split.

        ``double`` tells whether it may double. Whether it may hit is not asked.
        """
        column = UPCARDS.index(upcard)
        if pair is not None and self.pairs[pair][column] == "P":
            return "split"
        code = (self.soft if soft else self.hard)[points][column]
        if code in {"D", "Ds"} and double:
            return "double"
        return "hit" if code in {"H", "D"} else "stand"

    def as_json(self) -> dict[str, Any]:
        """Return the chart for a file or an answer: rows by name, a cell an upcard."""
        return {
            "upcards": [LABELS[upcard] for upcard in UPCARDS],
            "hard": {str(points): list(row) for points, row in self.hard.items()},
            "soft": {str(points): list(row) for points, row in self.soft.items()},
            "pairs": {LABELS[rank]: list(row) for rank, row in self.pairs.items()},
        }

    @classmethod
    def from_json(cls, read: object) -> Self:
        """Return the chart that `as_json` wrote. Raises BadChart."""
        if not isinstance(read, dict):
            raise BadChart("a strategy is an object with hard, soft and pairs")
        wanted = [LABELS[upcard] for upcard in UPCARDS]
        if read.get("upcards") != wanted:
            raise BadChart(f"upcards: must be {wanted}")
        ranks = {label: rank for rank, label in LABELS.items()}
        return cls(
            _rows(read, "hard", {str(points): points for points in HARD}),
            _rows(read, "soft", {str(points): points for points in SOFT}),
            _rows(read, "pairs", ranks),
        )


def mimic(*, hits_soft_17: bool) -> Chart:
    """Return the dealer's own play as a chart: never double, never split."""
    draws: Mapping[bool, Row] = {True: ("H",) * TEN, False: ("S",) * TEN}
    last = BLACKJACK - 4
    hard = {points: draws[points < last] for points in HARD}
    soft = {
        points: draws[points < last or (points == last and hits_soft_17)]
        for points in SOFT
    }
    pairs = {rank: soft[12] if rank == ACE else hard[2 * rank] for rank in RANKS}
    return Chart(hard, soft, pairs)


def _rows(read: Mapping[str, object], part: str, keys: Mapping[str, int]) -> Any:  # noqa: ANN401 - rows by number
    rows = read.get(part)
    if not isinstance(rows, dict) or set(rows) != set(keys):
        raise BadChart(f"{part}: must have the rows {' '.join(keys)}")
    found = {}
    for name, number in keys.items():
        row = rows[name]
        if not isinstance(row, list) or len(row) != len(UPCARDS):
            raise BadChart(f"{part}.{name}: must have {len(UPCARDS)} cells")
        known = CODES if part == "pairs" else CODES[:-1]
        wrong = [code for code in row if code not in known]
        if wrong:
            raise BadChart(f"{part}.{name}: {wrong[0]!r} is none of {' '.join(known)}")
        found[number] = cast("Row", tuple(row))
    return found
