"""Between the rows of the log and the rounds that they tell of."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import orjson

from service import __version__
from service.meter import Shown
from service.rules.events import Event
from service.rules.fold import fold
from service.rules.round import Round
from service.rules.stored import decode, encode
from service.rules.table import TableRules
from service.store.chain import GENESIS, chained
from service.store.rows import Holder, LogRow, RoundRow

By = Literal["job", "operator"]
"""Who gives a command, where it is not its player."""


class Step(NamedTuple):
    """One accepted command: the version it made, when, and what followed.

    ``first_seq`` numbers its first event, counted from 1 through the whole round;
    ``balance`` is what the player had after it, where money moved; ``by`` is who gave
    it, if it was not the player; ``jackpot`` is the meter that its reply showed.
    """

    version: int
    at: int
    first_seq: int
    events: tuple[Event, ...]
    balance: int | None = None
    by: By | None = None
    jackpot: Shown | None = None


class Seen(NamedTuple):
    """A round as it stands in the log; ``waits`` for a wallet's answer or not."""

    round_id: str
    version: int
    round: Round
    steps: tuple[Step, ...]
    waits: bool = False


class Ask(NamedTuple):
    """Who asks, under which key, and the digest of what is asked.

    Money may move in ``currency`` alone; None lets it move in any. With ``goes_on`` a
    job asks, for a command whose stake waits: it asks for nothing new. ``by`` says that
    somebody else than the player asks, ``signed_by`` under which name or key.
    """

    account: str
    player: str
    key: str
    request: bytes
    currency: str | None = None
    operator: str = ""
    mode: Literal["real", "demo"] = "real"
    session: str | None = None
    goes_on: bool = False
    by: By | None = None
    signed_by: str | None = None

    @property
    def holder(self) -> Holder:
        """Whose money a command moves."""
        return Holder(self.account, self.operator, self.player, self.mode)


def next_row(
    last: LogRow | None, ask: Ask, round_id: str, at: int, data: bytes
) -> LogRow:
    """Return the row that follows ``last`` in a round's log."""
    ver = last.ver + 1 if last else 1
    place = (ask.account, round_id, ver)
    row = LogRow(*place, ask.player, at, ask.key, ask.request, data, b"")
    return chained(last.hash if last else GENESIS, row)


def projection_of(
    row: LogRow, round_: Round, holder: Holder, by: By | None = None
) -> RoundRow:
    """Return what the projection says of a holder's round after a row of its log.

    ``by`` is who gave that row's command, if it was not the player.
    """
    opened = round_.opened
    over = round_.decided_at is not None or round_.closed_at is not None
    return RoundRow(
        account=holder.account,
        round_id=row.round_id,
        log_account=row.account,
        operator=holder.operator,
        mode=holder.mode,
        table_id=opened.table.table_id,
        table_version=opened.table.version,
        currency=opened.currency,
        status=round_.status,
        opened_at=opened.opened_at,
        expires_at=opened.expires_at,
        decided_at=round_.decided_at,
        closed_at=round_.closed_at,
        stake=round_.stake,
        payout=round_.payout if over else None,
        ended_by=None if round_.closed_at is None else by or "player",
    )


def data_of(  # noqa: PLR0913 - what a row keeps beside the events
    events: Sequence[Event],
    balance: int | None = None,
    holder: Holder | None = None,
    by: By | None = None,
    shown: Shown | None = None,
    *,
    owed: int = 0,
) -> bytes:
    """Return the JSON that a row keeps of a command, with what its reply showed.

    A round's first row says whose it is: the account's id alone does not. A row says
    ``by`` whom it was asked, if not by its player, and which version decided it; and
    what a player owes of what was to be taken back, in minor units.
    """
    data: dict[str, Any] = {"events": [encode(event) for event in events]}
    if balance is not None:
        data["balance"] = balance
    if holder is not None:
        data |= {"operator": holder.operator, "mode": holder.mode}
    if by is not None:
        data["by"] = by
    if owed:
        data["owed"] = owed
    if shown is not None:
        data["jackpot"] = {"id": shown.jackpot_id, "meter": shown.meter}
    data["software"] = __version__
    return orjson.dumps(data)


def steps_of(
    rows: Sequence[LogRow], versions: Mapping[str, TableRules]
) -> tuple[Step, ...]:
    """Return the steps that rows tell of, in order.

    Raises KeyError for a table version that ``versions`` does not hold.
    """
    steps = []
    seq = 1
    for row in rows:
        stored = orjson.loads(row.data)
        events = tuple(decode(event, versions) for event in stored["events"])
        jackpot = stored.get("jackpot")
        shown = jackpot and Shown(jackpot["id"], jackpot["meter"])
        said = (stored.get("balance"), stored.get("by"), shown)
        steps.append(Step(row.ver, row.at, seq, events, *said))
        seq += len(events)
    return tuple(steps)


def seen_of(round_id: str, steps: tuple[Step, ...]) -> Seen:
    """Return the round after these steps."""
    round_ = fold(event for step in steps for event in step.events)
    return Seen(round_id, steps[-1].version, round_, steps)
