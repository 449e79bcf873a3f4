"""What a job that ends rounds would do now, by table and money: for a dry run."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from service.currencies import exponent
from service.house import House
from service.jobs.ending import Task, decided, word_of
from service.store.database import clock
from service.store.due import (
    START,
    DueRound,
    Place,
    count_waiting,
    due_rounds,
    logs_of,
)
from service.store.errors import DatabaseUnavailable
from service.terminal import money
from service.wallet.move import REFUND, move_of
from service.wallet.port import Accepted

_PAGE: Final = 500

Group = tuple[str, str, str]
"""Table, "real" or "demo", and currency."""


def outlook(house: House, task: Task, grace: int) -> list[str]:
    """Say what would be done and paid, a line a table and currency.

    Raises DatabaseUnavailable.
    """
    groups: defaultdict[Group, Counter[str]] = defaultdict(Counter)
    faulty = 0
    for due, accepted in _looked_at(house, task, grace):
        if accepted is None:
            faulty += 1
            continue
        moved = move_of(accepted.before, accepted.after, accepted.events)
        back = sum(part.amount for part in moved.payouts if part.what == REFUND)
        group = groups[due.table_id, due.mode, due.currency]
        group["rounds"] += 1
        group[word_of(task, accepted)] += 1
        group["back"] += back
        group["won"] += moved.payout - back
    lines = [_line(task, *group) for group in sorted(groups.items())]
    if faulty:
        lines.append(f"{faulty} can't be read; the log of a run says which, and why")
    waiting = count_waiting(house.database, task.kind, grace)
    if waiting:
        lines.append(f"{waiting} wait for an operator's wallet, and are resolved first")
    return lines or ["nothing is due"]


def _line(task: Task, group: Group, found: Counter[str]) -> str:
    table_id, mode, currency = group
    said = money.Money(currency, exponent(currency))
    parts = [
        f"{found[word]} to be {word}" for word in (task.word, "decided") if found[word]
    ]
    paid = [
        f"{said.text(found[key])} {what}"
        for key, what in (("back", "to refund"), ("won", "to pay"))
        if found[key]
    ]
    paid = paid or ["nothing to pay"]
    if mode == "demo":
        paid.append("of demo money")
    return f"{table_id}: {', '.join(parts)}; {', '.join(paid)}"


def _looked_at(
    house: House, task: Task, grace: int
) -> Iterator[tuple[DueRound, Accepted | None]]:
    """Yield what is due and does not wait, with what it would become; None: faulty."""
    place: Place | None = START
    while place is not None:
        due, place = due_rounds(
            house.database,
            task.kind,
            grace=grace,
            after=place,
            most=_PAGE,
            claim=False,
        )
        logs, now = logs_of(house.database, due), clock(house.database)
        for one in due:
            try:
                accepted = decided(house, task, one, logs[one.round_id], now)
            except DatabaseUnavailable:
                raise
            except Exception:  # noqa: BLE001 - counted; a run tells which it is
                yield one, None
            else:
                if accepted is not None:
                    yield one, accepted
