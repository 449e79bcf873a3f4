"""Rounds that a job has to end, found across all accounts: for the jobs alone.

They are walked through by pages. Whoever claims rounds has them to himself until his
transaction ends; copies of a job pass over them. What is claimed is locked where a
command would lock first, so that a job and a player never wait for each other
crosswise: the balance, or with a wallet of the operator's the debit of the deal.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from service.store.database import Database
from service.store.instant import Instant
from service.store.rows import LogRow

Kind = Literal["expired", "abandoned"]
"""Why a round is due: undecided at its time, or decided and not fetched."""

_SINCE: Final = {"expired": "round.expires_at", "abandoned": "round.decided_at"}
_OPEN: Final = {
    "expired": "round.closed_at IS NULL AND round.decided_at IS NULL",
    "abandoned": "round.closed_at IS NULL AND round.decided_at IS NOT NULL",
}

# A debit that waits may still be confirmed: it is resolved first. One whose version
# another command has taken is nobody's to wait for.
_WAITS: Final = """EXISTS (
        SELECT FROM transfer AS debit
        WHERE debit.account = round.account AND debit.round = round.round
            AND debit.kind = 'debit' AND debit.status = 'requested'
            AND NOT EXISTS (
                SELECT FROM log WHERE log.account = debit.account
                    AND log.round = debit.round AND log.ver = debit.ver
            )
    )"""

# The page is found along its index first, whatever else the planner believes.
_PAGE: Final = """
WITH round AS MATERIALIZED (
    SELECT {since} AS since, account, round, operator, mode, table_id, table_version,
        currency
    FROM round
    WHERE {open} AND {since} <= now() - %s * interval '1 second'
        AND ({since}, round) > (%s, %s)
    ORDER BY {since}, round LIMIT {most:d}
), kept AS MATERIALIZED (
    SELECT round.*, CASE WHEN round.mode = 'real' AND operator.wallet = 'seamless'
        THEN 'seamless' ELSE 'ledger' END AS kept_by
    FROM round LEFT JOIN operator ON operator.operator = round.operator
), ledger AS (
    SELECT round.round FROM kept AS round
    JOIN balance ON balance.account = round.account
        AND balance.currency = round.currency
    WHERE round.kept_by = 'ledger'{lock_balance}
), seamless AS (
    SELECT round.round FROM kept AS round
    JOIN transfer ON transfer.account = round.account AND transfer.round = round.round
        AND transfer.ver = 1 AND transfer.kind = 'debit'
        AND transfer.status = 'confirmed'
    WHERE round.kept_by = 'seamless' AND NOT {waits}{lock_debit}
)
SELECT kept.since, kept.account, kept.round, kept.operator, kept.mode, kept.table_id,
    kept.table_version, kept.currency,
    ledger.round IS NOT NULL OR seamless.round IS NOT NULL
FROM kept
LEFT JOIN ledger ON ledger.round = kept.round
LEFT JOIN seamless ON seamless.round = kept.round
ORDER BY kept.since, kept.round
"""
_LOCK: Final = "\n    FOR UPDATE OF {} SKIP LOCKED"

_COUNT: Final = """
SELECT count(*) FROM round
WHERE {open} AND {since} <= now() - %s * interval '1 second' AND {waits}
"""

_LOGS: Final = """
SELECT log.account, log.round, ver, player, at, key, req, data, hash
FROM unnest(%s::uuid[], %s::uuid[]) AS wanted (account, round)
JOIN log ON log.account = wanted.account AND log.round = wanted.round
ORDER BY log.account, log.round, ver
"""


class Place(NamedTuple):
    """Where a walk through the rounds that are due has come to."""

    since: int
    round_id: str


START: Final = Place(0, "00000000-0000-0000-0000-000000000000")


class DueRound(NamedTuple):
    """A round to be ended; ``since`` is the time by which it was found."""

    since: int
    account: str
    round_id: str
    operator: str
    mode: Literal["real", "demo"]
    table_id: str
    table_version: str
    currency: str


class Page(NamedTuple):
    """Some rounds of a walk: those that are the caller's, and where it goes on.

    ``after`` is None behind the last page.
    """

    rounds: list[DueRound]
    after: Place | None


def due_rounds(  # noqa: PLR0913 - what, from where, how many, to keep or not
    db: Database, kind: Kind, *, grace: int, after: Place, most: int, claim: bool
) -> Page:
    """Find the next rounds that have been due for `grace` seconds, the oldest first.

    With `claim` they are the caller's until his transaction ends; those that are
    another's, or in whose account money moves, are left out. So are rounds that wait
    for their wallet.

    Raises:
        DatabaseUnavailable: no answer.
    """
    values = (grace, Instant(after.since), after.round_id)
    statement = page_statement(kind, most, claim=claim)
    found = db.change(statement, values) if claim else db.read(statement, values)
    rounds = [DueRound(*row[:-1]) for row in found if row[-1]]
    last = Place(found[-1][0], found[-1][2]) if len(found) == most else None
    return Page(rounds, last)


def page_statement(kind: Kind, most: int, *, claim: bool) -> str:
    """Return the statement that finds, and may claim, the next rounds."""
    return _PAGE.format(
        since=_SINCE[kind],
        open=_OPEN[kind],
        waits=_WAITS,
        most=most,
        lock_balance=_LOCK.format("balance") if claim else "",
        lock_debit=_LOCK.format("transfer") if claim else "",
    )


def count_due(db: Database, kind: Kind, grace: int) -> int:
    """Count the rounds that have been due for `grace` seconds, and do not wait.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return _counted(db, kind, grace, f"NOT {_WAITS}")


def count_waiting(db: Database, kind: Kind, grace: int) -> int:
    """Count the rounds that are due and wait for an operator's wallet.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return _counted(db, kind, grace, _WAITS)


def logs_of(db: Database, due: Sequence[DueRound]) -> dict[str, list[LogRow]]:
    """Read the logs of some rounds, each in order, by the round's id.

    Raises:
        DatabaseUnavailable: no answer.
    """
    ids = ([one.account for one in due], [one.round_id for one in due])
    logs: dict[str, list[LogRow]] = {}
    for row in db.read(_LOGS, ids):
        logs.setdefault(row[1], []).append(LogRow(*row))
    return logs


def _counted(db: Database, kind: Kind, grace: int, waits: str) -> int:
    query = _COUNT.format(since=_SINCE[kind], open=_OPEN[kind], waits=waits)
    ((count,),) = db.read(query, (grace,))
    return int(count)
