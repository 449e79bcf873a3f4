"""A player's past: the rounds that have ended, newest first, with their logs.

A page is one statement, however many rounds it has: the projection finds them, and
their logs come along.
"""

from itertools import groupby
from typing import Final, Literal, NamedTuple, cast

from service.store.database import Database
from service.store.instant import Instant
from service.store.rounds import COLUMNS
from service.store.rows import LogRow, RoundRow

Ending = Literal["complete", "interrupted", "void", "malfunction"]
Result = Literal["won", "even", "lost"]

# Each condition that is not asked for is left out: a plan for all of them at once could
# use no index for any.
_PAGE: Final = """
WITH page AS (
    SELECT {columns} FROM round
    WHERE account = %s AND closed_at IS NOT NULL AND (opened_at, round) < (%s, %s)
        {conditions}
    ORDER BY opened_at DESC, round DESC LIMIT %s
), told AS MATERIALIZED (
    SELECT page.*, ({said}) AS said FROM page
)
SELECT told.*, ver, player, at, key, req, data, hash
FROM told LEFT JOIN log ON log.account = told.log_account AND log.round = told.round
ORDER BY told.opened_at DESC, told.round DESC, ver
"""
# What a wallet said with each command's money; of several calls the last one counts.
_SAID: Final = """
    SELECT json_agg(json_build_array(ver, said) ORDER BY ended_at) FROM transfer
    WHERE transfer.account = {account} AND transfer.round = {round}
        AND transfer.status = 'confirmed' AND transfer.kind <> 'rollback'
"""
_ENDINGS: Final[dict[Ending, str]] = {
    "complete": "AND status = 'settled' AND ended_by = 'player'",
    # The first part says what the index of the rare ones is about.
    "interrupted": "AND (status <> 'settled' OR ended_by <> 'player') "
    "AND status = 'settled'",
    "void": "AND (status <> 'settled' OR ended_by <> 'player') AND status = 'void'",
    "malfunction": "AND (status <> 'settled' OR ended_by <> 'player') "
    "AND status = 'malfunction'",
}
_RESULTS: Final[dict[Result, str]] = {
    "won": "AND payout > stake",
    "even": "AND payout = stake",
    "lost": "AND payout < stake",
}
_WIDTH: Final = len(RoundRow._fields)


class Sought(NamedTuple):
    """Which rounds are asked for; None asks for all. Times as everywhere here."""

    table_id: str | None = None
    currency: str | None = None
    since: int | None = None
    """Opened then or later."""
    until: int | None = None
    """Opened before that."""
    ending: Ending | None = None
    result: Result | None = None


class Place(NamedTuple):
    """Where a round stands in its player's past: rounds may begin at one instant."""

    opened_at: int
    round_id: str


NEWEST: Final = Place(2**62, "ffffffff-ffff-ffff-ffff-ffffffffffff")
"""Behind it stands every round."""


class Logged(NamedTuple):
    """A round's projection and its log; of an archived round the log is elsewhere."""

    round: RoundRow
    rows: list[LogRow]
    said: bytes | None
    """JSON of version and answer for each call to a wallet, the last one last."""


def past_rounds(
    db: Database, account: str, sought: Sought, before: Place, limit: int
) -> list[Logged]:
    """List a player's rounds that have ended, from behind a place on, newest first.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(*page_query(account, sought, before, limit))
    return [
        Logged(
            RoundRow(*key[:-1]),
            [
                LogRow(key[2], key[1], *row[_WIDTH + 1 :])
                for row in rows
                if row[_WIDTH + 1] is not None
            ],
            key[-1],
        )
        for key, rows in groupby(found, lambda row: row[: _WIDTH + 1])
    ]


def said_of(db: Database, account: str, round_id: str) -> bytes | None:
    """Return what a wallet said of a round, as `Logged` has it.

    Raises:
        DatabaseUnavailable: no answer.
    """
    query = _SAID.format(account="%s", round="%s")
    return cast("bytes | None", db.read(query, (account, round_id))[0][0])


def page_query(
    account: str, sought: Sought, before: Place, limit: int
) -> tuple[str, list[object]]:
    """Return the statement that reads a page, and its values."""
    conditions, values = _conditions(sought)
    said = _SAID.format(account="page.log_account", round="page.round")
    query = _PAGE.format(columns=COLUMNS, conditions=conditions, said=said)
    place = (Instant(before.opened_at), before.round_id)
    return query, [account, *place, *values, limit]


def _conditions(sought: Sought) -> tuple[str, list[object]]:
    """Return what is asked for as SQL, and its values."""
    parts: list[tuple[str, object]] = [
        ("AND table_id = %s", sought.table_id),
        ("AND currency = %s", sought.currency),
        ("AND opened_at >= %s", sought.since and Instant(sought.since)),
        ("AND opened_at < %s", sought.until and Instant(sought.until)),
    ]
    asked = [(text, value) for text, value in parts if value is not None]
    words = [text for text, _ in asked]
    if sought.ending is not None:
        words.append(_ENDINGS[sought.ending])
    if sought.result is not None:
        words.append(_RESULTS[sought.result])
    return " ".join(words), [value for _, value in asked]
