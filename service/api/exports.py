"""A player's history as a table for a spreadsheet, however long it is.

It is read and sent a piece at a time. What could be taken for a formula is marked as
text: names come from outside.
"""

import csv
import io
from collections.abc import Iterator
from itertools import chain
from typing import Final

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.history import sought_in
from service.api.past import result_of, status_of
from service.api.reply import PRIVATE, Reply, Streamed
from service.api.times import DAY, days, midnight
from service.api.tokens import Caller
from service.api.views import time_text
from service.currencies import exponent
from service.history import Past, balance_after, balance_before, past
from service.recorded import Seen
from service.rules.cards import total_of
from service.rules.round import Hand, Round
from service.store.history import NEWEST, Sought

MOST_DAYS: Final = 366
"""Days of one table."""
_PIECE: Final = 100
"""Rounds that are read at a time."""
_TYPE: Final = "text/csv; charset=utf-8"
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
COLUMNS: Final = (
    *("player_id", "mode", "round_id", "table_id", "table_version"),
    *("opened_at", "closed_at", "status", "result", "currency", "exponent"),
    *("staked", "returned", "net", "withheld", "balance_before", "balance_after"),
    *("wagers", "insurance_staked", "insurance_returned", "bonus_staked"),
    *("bonus_returned", "dealer", "hands"),
)
_KNOWN: Final = len(COLUMNS) - COLUMNS.index("withheld")
"""Columns that a round's log alone can fill."""
Cell = str | int | None


def export_history(api: Api, asked: Asked) -> Reply:
    """Send the player's rounds that began on some days as CSV, newest first."""
    first, last = days(asked, MOST_DAYS)
    sought = sought_in(asked, midnight(first), midnight(last + DAY))
    pieces = _pieces(api, asked.player, sought)
    # What can't be read is said before the answer begins.
    begun = next(pieces)
    headers = {
        "Content-Type": _TYPE,
        "Cache-Control": PRIVATE,
        "Content-Disposition": f'attachment; filename="history-{first}-{last}.csv"',
    }
    return Reply(200, headers, Streamed(chain((begun,), pieces)))


def export_player_history(api: Api, asked: Asked) -> Reply:
    """Send the operator the rounds of a player of his as CSV."""
    return export_history(api, asked.for_player())


def _pieces(api: Api, caller: Caller, sought: Sought) -> Iterator[bytes]:
    before, head = NEWEST, [COLUMNS]
    while True:
        found = past(api.play.house, caller.account, sought, before, _PIECE)
        yield _lines([*head, *(_cells(one, caller) for one in found)])
        if len(found) < _PIECE:
            return
        before, head = found[-1].place, []


def _lines(rows: list[tuple[Cell, ...]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    for row in rows:
        writer.writerow([safe(cell) for cell in row])
    return text.getvalue().encode()


def safe(cell: Cell) -> Cell:
    """Return a cell that no spreadsheet takes for a formula; numbers are none.

    >>> safe("=1+1"), safe("ann"), safe(-1000)
    ("'=1+1", 'ann', -1000)
    """
    if isinstance(cell, str) and cell.startswith(_FORMULA):
        return f"'{cell}"
    return cell


def _cells(past: Past, caller: Caller) -> tuple[Cell, ...]:
    row = past.row
    returned = row.payout or 0
    return (
        *(caller.player, caller.mode, row.round_id, row.table_id, row.table_version),
        time_text(row.opened_at),
        row.closed_at and time_text(row.closed_at),
        *(status_of(row.status, row.ended_by), result_of(row.stake, returned)),
        *(row.currency, exponent(row.currency)),
        *(row.stake, returned, returned - row.stake),
        # Of what is in an archive that is not to be had here no more is known.
        *([None] * _KNOWN if past.seen is None else _details(past.seen)),
    )


def _details(seen: Seen) -> list[Cell]:
    round_ = seen.round
    hands, boxes = round_.hands, round_.boxes
    return [
        sum(hand.withheld for hand in hands),
        *(balance_before(seen), balance_after(seen)),
        " ".join(f"{box.box}:{box.wager}" for box in boxes),
        sum(box.insurance or 0 for box in boxes),
        sum(box.insurance_payout or 0 for box in boxes),
        sum(box.bonus_wager for box in boxes),
        sum(box.bonus.payout for box in boxes if box.bonus),
        _dealer(round_),
        "; ".join(_hand(hand) for hand in hands),
    ]


def _dealer(round_: Round) -> str:
    return f"{' '.join(round_.dealer)} ({total_of(round_.dealer).points})"


def _hand(hand: Hand) -> str:
    """Return a hand in one cell: its name, cards, total, result, and its money."""
    cards = f"{hand.name} {' '.join(hand.cards)} ({hand.total.points})"
    if hand.result is None:
        return f"{cards} staked {hand.stake}"
    paid = hand.payout - hand.withheld
    return (
        f"{cards} {hand.result} staked {hand.stake} computed {hand.payout} paid {paid}"
    )
