"""Significant events: what was out of the ordinary in play, and who changed what.

An event is written in the transaction of its cause: `note` in one that is open, or with
a command's row by service/store/writes.py. It is never changed, and never lost to one
who follows (see service/store/feed.py).
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple

import orjson

from service.chance import new_id
from service.store.database import Database
from service.store.feed import Place
from service.store.instant import instant

Kind = Literal[
    "gaming_started",
    "gaming_stopped",
    "jackpot_changed",
    "jackpot_won",
    "key_added",
    "key_ended",
    "large_win",
    "limit_changed",
    "money_owed",
    "offer_changed",
    "operator_added",
    "operator_changed",
    "overflow_moved",
    "pin_set",
    "player_started",
    "player_stopped",
    "round_malfunction",
    "round_voided",
    "seal_made",
    "table_loaded",
    "win_capped",
]
JOB: Final = "job"
PLAYER: Final = "player"
Json = Mapping[str, Any]

CONCERNS_ALL: Final = (
    *("gaming_started", "gaming_stopped", "jackpot_changed", "table_loaded"),
)
"""What of the whole house is each operator's to know."""

_EVENT: Final = """event, account, operator, player, mode, kind, round, ver, at, who,
    before, after, data, why"""

# S608 sees SQL put together below: of this file's constants alone. An instant is sent
# as a whole number of microseconds; doubles hold those exactly until the year 2255.
_INSERT: Final = f"INSERT INTO significant_event ({_EVENT})"
_TOLD: Final = """
    SELECT event, account, operator, player, mode, kind, round, ver,
        timestamptz 'epoch' + at * interval '1 microsecond', who, before, after, data,
        why
    FROM {}json_to_recordset(%s::json) AS told (event uuid, account uuid, operator text,
        player text, mode text, kind text, round uuid, ver integer, at bigint, who text,
        before json, after json, data json, why text)
"""

_NOTE: Final = _INSERT + _TOLD.format("")

NOTED: Final = f""", noted AS ({_INSERT}{_TOLD.format("logged, ")})"""
"""A part of a command's statement: the events that `events_json` made a value of."""

_FIND: Final = f"""
    (SELECT tx, {_EVENT} FROM significant_event
    WHERE operator {{}} AND (tx, event) > (%s::xid8, %s::uuid)
        AND tx < pg_snapshot_xmin(pg_current_snapshot())
        AND (%s::text IS NULL OR kind = %s) AND (%s::text IS NULL OR mode = %s)
        AND at >= coalesce(%s::timestamptz, '-infinity')
        AND at < coalesce(%s::timestamptz, 'infinity')
    ORDER BY tx, event LIMIT %s)
"""  # noqa: S608 - see above

_FEED: Final = f"""
SELECT tx::text, {_EVENT} FROM (
    {_FIND.format("= %s")}
    UNION ALL
    {_FIND.format("IS NULL AND kind = ANY(%s)")}
) AS found ORDER BY found.tx, event LIMIT %s
"""  # noqa: S608 - see above

_ALL: Final = f"""
SELECT tx::text, {_EVENT} FROM (
    {_FIND.format("IS NOT DISTINCT FROM coalesce(%s, operator)")}
) AS found ORDER BY found.tx, event
"""  # noqa: S608 - see above


class Significant(NamedTuple):
    """An event to be noted; JSON values hold money in minor units.

    No `operator`: it is the whole house's. `at` is in microseconds since 1970 UTC.
    `who` is "player", "job", "operator:<key id>" or "cli:<user>". A change has
    `before` and `after`; `data` is whatever else there is to say.
    """

    kind: Kind
    at: int
    who: str
    operator: str | None = None
    account: str | None = None
    player: str | None = None
    mode: str | None = None
    round_id: str | None = None
    ver: int | None = None
    before: Json | None = None
    after: Json | None = None
    data: Json | None = None
    why: str | None = None


class Noted(NamedTuple):
    """An event as it is kept: `before`, `after` and `data` are the bytes of JSON."""

    place: Place
    account: str | None
    operator: str | None
    player: str | None
    mode: str | None
    kind: str
    round_id: str | None
    ver: int | None
    at: int
    who: str
    before: bytes | None
    after: bytes | None
    data: bytes | None
    why: str | None


class Sought(NamedTuple):
    """Which events are asked for; None is any. `to` is the first time beyond."""

    kind: str | None = None
    mode: str | None = None
    since: int | None = None
    to: int | None = None


EVERYTHING: Final = Sought()


def note(db: Database, *events: Significant) -> None:
    """Note events, with one statement. Call it in the transaction of their cause.

    Raises:
        DatabaseUnavailable: no answer.
    """
    if events:
        db.write(_NOTE, (events_json(events),))


def events_json(events: Iterable[Significant]) -> str:
    """Return the value that a statement with `NOTED` takes; each event gets its id."""
    return orjson.dumps(
        [
            {"event": new_id(), "round": event.round_id, **event._asdict()}
            for event in events
        ]
    ).decode()


def events_of(
    db: Database, operator: str, sought: Sought, after: Place, limit: int
) -> list[Noted]:
    """List what an operator may know after a place, oldest first.

    That is what is his, and what is the whole house's and concerns each operator.

    Raises:
        DatabaseUnavailable: no answer.
    """
    values = _values(sought, after, limit)
    found = db.read(_FEED, (operator, *values, list(CONCERNS_ALL), *values, limit))
    return [_noted(*row) for row in found]


def all_events(
    db: Database, operator: str | None, sought: Sought, after: Place, limit: int
) -> list[Noted]:
    """List what was noted after a place, of all operators or of one alone.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_ALL, (operator, *_values(sought, after, limit)))
    return [_noted(*row) for row in found]


def _values(sought: Sought, after: Place, limit: int) -> tuple[object, ...]:
    return (
        *(str(after.tx), after.id),
        *(sought.kind, sought.kind, sought.mode, sought.mode),
        *(instant(sought.since), instant(sought.to), limit),
    )


def _noted(tx: str, event: str, *row: Any) -> Noted:  # noqa: ANN401 - the columns
    return Noted(Place(int(tx), event), *row)
