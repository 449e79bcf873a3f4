"""Between the rows of the log and the rounds that they tell of."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import orjson

from service.rules.events import Event, decode, encode
from service.rules.round import Round, fold
from service.rules.table import TableRules
from service.store.chain import GENESIS, chained
from service.store.rows import LogRow, RoundRow


class Step(NamedTuple):
    """One accepted command: the version it made, when, and what followed.

    ``first_seq`` numbers its first event, counted from 1 through the whole round.
    """

    version: int
    at: int
    first_seq: int
    events: tuple[Event, ...]


class Seen(NamedTuple):
    """A round as it stands in the log."""

    round_id: str
    version: int
    round: Round
    steps: tuple[Step, ...]


class Ask(NamedTuple):
    """Who asks, under which key, and the digest of what is asked.

    Money may move in ``currency`` alone; None lets it move in any.
    """

    account: str
    player: str
    key: str
    request: bytes
    currency: str | None = None


def next_row(
    last: LogRow | None,
    place: tuple[str, str],
    ask: Ask,
    at: int,
    events: Sequence[Event],
) -> LogRow:
    """Return the row that follows ``last`` in the log at (account, round id)."""
    ver = last.ver + 1 if last else 1
    row = LogRow(
        *place, ver, ask.player, at, ask.key, ask.request, data_of(events), b""
    )
    return chained(last.hash if last else GENESIS, row)


def projection_of(row: LogRow, round_: Round) -> RoundRow:
    """Return what the projection says of a private round after a row of its log."""
    opened = round_.opened
    over = round_.decided_at is not None or round_.closed_at is not None
    return RoundRow(
        account=row.account,
        round_id=row.round_id,
        log_account=row.account,
        table_id=opened.table.table_id,
        table_version=opened.table.version,
        currency=opened.currency,
        status=round_.status,
        opened_at=opened.opened_at,
        decided_at=round_.decided_at,
        closed_at=round_.closed_at,
        stake=round_.stake,
        payout=round_.payout if over else None,
    )


def data_of(events: Sequence[Event]) -> bytes:
    """Return the JSON that a row keeps of a command."""
    return orjson.dumps({"events": [encode(event) for event in events]})


def steps_of(
    rows: Sequence[LogRow], versions: Mapping[str, TableRules]
) -> tuple[Step, ...]:
    """Return the steps that rows tell of, in order.

    Raises KeyError for a table version that ``versions`` does not hold.
    """
    steps = []
    seq = 1
    for row in rows:
        stored = orjson.loads(row.data)["events"]
        events = tuple(decode(event, versions) for event in stored)
        steps.append(Step(row.ver, row.at, seq, events))
        seq += len(events)
    return tuple(steps)


def seen_of(round_id: str, steps: tuple[Step, ...]) -> Seen:
    """Return the round after these steps."""
    round_ = fold(event for step in steps for event in step.events)
    return Seen(round_id, steps[-1].version, round_, steps)
