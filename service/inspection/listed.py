"""The list of rounds against the log: reports and histories are made from the list."""

from collections.abc import Iterator

from service.proof import Json
from service.recorded import projection_of
from service.rules.events import RoundOpened
from service.rules.round import Round
from service.store.rows import Holder, LogRow, RoundRow

_UNDECIDED = ("insurance", "playing")


def list_faults(
    listed: RoundRow, last: LogRow, round_: Round, told: list[Json]
) -> Iterator[str]:
    """Yield what the list has otherwise than a round's log, a line a column.

    `last` is the log's last row, `round_` the round after it, and `told` is what all
    rows keep.
    """
    right = _right(listed, last, round_, told)._replace(archived_in=listed.archived_in)
    for name, found, wanted in zip(RoundRow._fields, listed, right, strict=True):
        if found != wanted:
            yield f"the list of rounds has {name} {found}, and the log says {wanted}"


def _right(listed: RoundRow, last: LogRow, round_: Round, told: list[Json]) -> RoundRow:
    first = told[0]
    whose = (str(first.get("operator")), last.player, str(first.get("mode")))
    holder = Holder(last.account, *whose)
    right = projection_of(last, round_, holder, told[-1].get("by"))
    if round_.decided_at is not None or round_.closed_at is not None:
        return right
    # What is undecided is listed as it was dealt.
    status = listed.status if listed.status in _UNDECIDED else round_.status
    return right._replace(stake=_dealt(round_.opened), status=status)


def _dealt(opened: RoundOpened) -> int:
    return sum(box.wager + box.bonus_wager for box in opened.boxes)
