"""Transaction numbers, which begin anew where a dump is restored.

Rows keep the number of the transaction that wrote them: feeds and seals go by it. A
server that a dump was restored to begins at a low number, and what it writes from then
on would be taken for older than what it has. A physical backup keeps the count.
"""

from collections.abc import Callable
from typing import Final

import psycopg

from service.store.database import Database
from service.store.errors import DatabaseUnavailable, SchemaWrong

MOST: Final = 200_000_000
"""So many numbers are used up at most: half an hour, and no vacuum is forced by it."""
_CHUNK: Final = 1_000_000

# Each along an index; what the log has beyond these is in no feed and under no seal.
_BEHIND: Final = """
SELECT coalesce(max(needed), 0) - pg_snapshot_xmax(pg_current_snapshot())::text::bigint
FROM (
    (SELECT before::text::bigint AS needed FROM seal ORDER BY seal DESC LIMIT 1)
    UNION ALL
    (SELECT tx::text::bigint + 1 FROM significant_event
    ORDER BY tx DESC, event DESC LIMIT 1)
    UNION ALL SELECT (
        SELECT tx::text::bigint + 1 FROM ledger
        WHERE ledger.operator = operator.operator AND ledger.mode = modes.mode
            AND side = 'player'
        ORDER BY tx DESC, entry DESC LIMIT 1
    ) FROM operator, (VALUES ('real'), ('demo')) AS modes (mode)
    UNION ALL SELECT (
        SELECT tx::text::bigint + 1 FROM transfer
        WHERE transfer.operator = operator.operator
        ORDER BY tx DESC, transfer DESC LIMIT 1
    ) FROM operator
) AS known
"""

_LOG: Final = """
SELECT coalesce(max(tx::text::bigint) + 1, 0)
    - pg_snapshot_xmax(pg_current_snapshot())::text::bigint FROM log
"""

# A number is used up by its COMMIT; that of the last chunk has all of them on the disk.
_USE_UP: Final = """
DO $$ BEGIN
    FOR number IN 1..{count:d} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP;
END $$
"""


def check(db: Database) -> None:
    """See that what is written from now on has higher numbers than what there is.

    Raises:
        SchemaWrong: it would not; the text says what to run.
        DatabaseUnavailable: no answer.
    """
    ((behind,),) = db.read(_BEHIND)
    if behind > 0:
        raise SchemaWrong(
            f"the database was restored from a dump, and its server is {behind} "
            "transactions behind its rows; run: upcard migrate"
        )


def catch_up(dsn: str, say: Callable[[str], None]) -> None:
    """Use up numbers, as the owner, until none that a row has can come again.

    Raises:
        SchemaWrong: there are too many of them.
        DatabaseUnavailable: no answer; what was used up is.
    """
    try:
        with psycopg.connect(dsn, autocommit=True) as owner:
            if _asked(owner, _BEHIND) > 0:
                _use_up(owner, max(_asked(owner, _BEHIND), _asked(owner, _LOG)), say)
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable(str(error)) from error


def _use_up(owner: psycopg.Connection, left: int, say: Callable[[str], None]) -> None:
    if left > MOST:
        raise SchemaWrong(
            f"the database was restored from a dump, and its server is {left} "
            "transactions behind its rows: stop it, and raise its counter with "
            "pg_resetwal --next-transaction-id and --epoch"
        )
    while left > 0:
        say(f"restored from a dump: {left} transaction numbers to use up")
        count = min(left, _CHUNK)
        durable = "on" if count == left else "off"
        owner.execute(f"SET synchronous_commit = {durable}".encode())
        owner.execute(_USE_UP.format(count=count).encode())
        left -= count


def _asked(owner: psycopg.Connection, query: str) -> int:
    row = owner.execute(query.encode()).fetchone()
    assert row is not None, "a number is told"
    return int(row[0])
