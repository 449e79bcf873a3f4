"""Across all accounts: the calls to wallets that are due, for the jobs alone."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from service.store.database import Database
from service.store.transfers import Transfer

# Payouts go whatever has become of others of their round; its end comes after all of
# it, and a correction too. Each operator has his turn: one whose wallet is away keeps
# nobody else waiting. (The operators are found by going from one to the next along the
# index, however much waits.) Whoever takes a row has it to himself until its next time.
_TAKE: Final = """
WITH RECURSIVE whose AS (
    SELECT min(operator) AS operator FROM transfer WHERE status = 'requested'
    UNION ALL
    SELECT (
        SELECT min(transfer.operator) FROM transfer
        WHERE status = 'requested' AND transfer.operator > whose.operator
    ) FROM whose WHERE operator IS NOT NULL
), next AS (
    SELECT account, transfer, next_try_at,
        row_number() OVER (PARTITION BY operator ORDER BY next_try_at) AS turn
    FROM whose, LATERAL (
        SELECT account, transfer, next_try_at FROM transfer AS one
        WHERE one.operator = whose.operator
            AND status = 'requested' AND next_try_at <= now()
            AND (kind NOT IN ('end', 'correction') OR NOT EXISTS (
                SELECT FROM transfer AS first
                WHERE first.account = one.account AND first.round = one.round
                    AND first.status = 'requested'
                    AND (first.ver, first.kind = 'end') < (one.ver, one.kind = 'end')
            ))
        ORDER BY next_try_at LIMIT %s FOR UPDATE SKIP LOCKED
    ) AS one
), due AS (
    SELECT account, transfer FROM next ORDER BY turn, next_try_at LIMIT %s
)
UPDATE transfer SET tries = tries + (kind <> 'debit')::int,
    next_try_at = now() + interval '1 second'
        * (%s::integer[])[least(tries + 1, %s)]
FROM due WHERE transfer.account = due.account AND transfer.transfer = due.transfer
RETURNING transfer.account, transfer.transfer, operator, player, session, kind, purpose,
    round, ver, table_id, currency, amount, lines, debit, key, request, command,
    made_at, status, said, tries, now()
"""

_WAITING: Final = """
SELECT operator, kind, count(*) FILTER (WHERE next_try_at <= now()), count(*),
    max(tries), (extract(epoch FROM now() - min(made_at)))::bigint
FROM transfer WHERE status = 'requested' GROUP BY operator, kind
ORDER BY operator, kind
"""


class Due(NamedTuple):
    """A call that is due, and the database's time."""

    transfer: Transfer
    now: int


class Waiting(NamedTuple):
    """What waits of an operator's calls of one kind; the age in seconds."""

    operator: str
    kind: str
    due: int
    all: int
    tries: int
    oldest: int


def take_due(db: Database, most: int, schedule: Sequence[int]) -> list[Due]:
    """Take some calls that are due; each is due again when `schedule` says.

    Its numbers are seconds from one try to the next, the last one for good. Copies
    of a job take different calls.

    Raises:
        DatabaseUnavailable: no answer; they may have been taken.
    """
    found = db.change(_TAKE, (most, most, list(schedule), len(schedule)))
    return [Due(Transfer(*row[:-1]), row[-1]) for row in found]


def waiting(db: Database) -> list[Waiting]:
    """Count the calls that have not been acknowledged.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [Waiting(*row) for row in db.read(_WAITING)]
