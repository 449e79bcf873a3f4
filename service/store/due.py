"""Rounds that a job has to end, found across all accounts: for the jobs alone.

Whoever claims rounds has them to himself until his transaction ends; copies of a job
pass over them. What is claimed is locked where a command would lock first, so that a
job and a player never wait for each other crosswise.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from service.store.database import Database
from service.store.instant import Instant
from service.store.rows import LogRow

Money = Literal["ledger", "seamless"]
"""Who keeps the money of a round."""

_DUE: Final = {
    # Undecided, and its time is over.
    "expired": """
WHERE round.closed_at IS NULL AND round.decided_at IS NULL
    AND round.expires_at <= now() - %s * interval '1 second'
    AND (round.expires_at, round.round) > (%s, %s)""",
    # Decided, and nobody fetched what it pays.
    "abandoned": """
WHERE round.closed_at IS NULL AND round.decided_at IS NOT NULL
    AND round.decided_at <= now() - %s * interval '1 second'
    AND (round.decided_at, round.round) > (%s, %s)""",
}
_SINCE: Final = {"expired": "round.expires_at", "abandoned": "round.decided_at"}

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

_KEPT_BY: Final = {
    "ledger": (
        """
JOIN balance ON balance.account = round.account
    AND balance.currency = round.currency
LEFT JOIN operator ON operator.operator = round.operator""",
        """
    AND (round.mode = 'demo' OR operator.wallet IS DISTINCT FROM 'seamless')""",
        ("NULL::uuid", "balance"),
    ),
    "seamless": (
        """
JOIN operator ON operator.operator = round.operator AND operator.wallet = 'seamless'
JOIN transfer ON transfer.account = round.account AND transfer.round = round.round
    AND transfer.ver = 1 AND transfer.kind = 'debit' AND transfer.status = 'confirmed'
""",
        f"""
    AND round.mode = 'real' AND NOT {_WAITS}""",
        ("transfer.session", "transfer"),
    ),
}
"""Joins, condition, and where the session and the claim are."""

_LOGS: Final = """
SELECT log.account, log.round, ver, player, at, key, req, data, hash
FROM unnest(%s::uuid[], %s::uuid[]) AS wanted (account, round)
JOIN log ON log.account = wanted.account AND log.round = wanted.round
ORDER BY log.account, log.round, ver
"""

Kind = Literal["expired", "abandoned"]
"""Why a round is due: undecided at its time, or decided and not fetched."""


class Place(NamedTuple):
    """Where a walk through the rounds that are due has come to."""

    since: int
    round_id: str


START: Final = Place(0, "00000000-0000-0000-0000-000000000000")


class DueRound(NamedTuple):
    """A round to be ended; ``since`` is the time by which it was found.

    ``session`` is the one that a seamless wallet was told at the deal.
    """

    since: int
    account: str
    round_id: str
    operator: str
    mode: Literal["real", "demo"]
    table_id: str
    table_version: str
    currency: str
    session: str | None

    @property
    def place(self) -> Place:
        """Where a walk goes on behind it."""
        return Place(self.since, self.round_id)


def _statement(kind: Kind, money: Money, *, lock: bool) -> str:
    joins, condition, (session, claimed) = _KEPT_BY[money]
    return f"""
SELECT {_SINCE[kind]}, round.account, round.round, round.operator, round.mode,
    round.table_id, round.table_version, round.currency, {session}
FROM round{joins}{_DUE[kind]}{condition}
ORDER BY {_SINCE[kind]}, round.round LIMIT %s
{f"FOR UPDATE OF {claimed} SKIP LOCKED" if lock else ""}
"""  # noqa: S608 - SQL put together of this file's constants


def due_rounds(  # noqa: PLR0913 - what, of whom, from where, how many, to keep or not
    db: Database,
    kind: Kind,
    money: Money,
    *,
    grace: int,
    after: Place,
    most: int,
    claim: bool,
) -> list[DueRound]:
    """List rounds that have been due for `grace` seconds, the oldest first.

    With `claim` they are the caller's until his transaction ends; those that are
    another's, or in whose account money moves, are left out. So are rounds that wait
    for their wallet.

    Raises:
        DatabaseUnavailable: no answer.
    """
    values = (grace, Instant(after.since), after.round_id, most)
    statement = _statement(kind, money, lock=claim)
    found = db.change(statement, values) if claim else db.read(statement, values)
    return [DueRound(*row) for row in found]


def count_due(db: Database, kind: Kind, grace: int) -> int:
    """Count the rounds that have been due for `grace` seconds, and do not wait.

    Raises:
        DatabaseUnavailable: no answer.
    """
    values = (grace, Instant(START.since), START.round_id)
    return _counted(db, f"{_DUE[kind]} AND NOT {_WAITS}", values)


def count_waiting(db: Database, kind: Kind, grace: int) -> int:
    """Count the rounds that are due and wait for an operator's wallet.

    Raises:
        DatabaseUnavailable: no answer.
    """
    values = (grace, Instant(START.since), START.round_id)
    return _counted(db, f"{_DUE[kind]} AND {_WAITS}", values)


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


def _counted(db: Database, condition: str, values: tuple[object, ...]) -> int:
    ((count,),) = db.read(f"SELECT count(*) FROM round{condition}", values)  # noqa: S608 - as above
    return int(count)
