"""The first rows of a player's last rounds, one for each table: what he bet there."""

from collections.abc import Sequence
from typing import Final

from service.store.database import Database
from service.store.rows import LogRow

# Of each table the open round, or else the one of the ended ones that was opened last:
# an index entry each, however many rounds there are. A log that is in an archive tells
# nothing any more.
_LAST: Final = """
SELECT log.round, log.ver, log.player, log.at, log.key, log.req, log.data, log.hash
FROM unnest(%s::text[]) WITH ORDINALITY AS named (table_id, place)
CROSS JOIN LATERAL (
    (SELECT round, log_account, opened_at FROM round
    WHERE account = %s AND table_id = named.table_id AND closed_at IS NULL)
    UNION ALL
    (SELECT round, log_account, opened_at FROM round
    WHERE account = %s AND table_id = named.table_id AND closed_at IS NOT NULL
    ORDER BY opened_at DESC, round DESC LIMIT 1)
    ORDER BY opened_at DESC LIMIT 1
) AS last
JOIN log ON log.account = last.log_account AND log.round = last.round AND log.ver = 1
ORDER BY named.place
"""


def first_rows(db: Database, account: str, tables: Sequence[str]) -> list[LogRow]:
    """Return the deal of the account's last round at each table, where there is one.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_LAST, (list(tables), account, account))
    return [LogRow(account, *row) for row in found]
