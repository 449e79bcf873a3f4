"""Rows to store: right in form, with nothing of the rules in them."""

from typing import Final

from service.chance import new_id
from service.sealing import SealedShoe
from service.store.chain import GENESIS, chained
from service.store.database import Database
from service.store.rows import LogRow, RoundRow
from service.store.writes import open_round

AT: Final = 1_800_000_000_123_456
"""An instant with microseconds."""
DAY: Final = 86_400_000_000

SHOE: Final = SealedShoe("k1", b"n" * 12, bytes(range(256)) * 3, "c" * 64)


def first_row(account: str, key: str = "key-00001") -> LogRow:
    """Give the first row of a new round."""
    row = LogRow(
        account=account,
        round_id=new_id(),
        ver=1,
        player="ann",
        at=AT,
        key=key,
        req=b"r" * 32,
        data='{"events": [ "a/1" ],"ä":1e0}'.encode(),
        hash=b"",
    )
    return chained(GENESIS, row)


def next_row(last: LogRow, key: str) -> LogRow:
    """Give a row to follow `last`."""
    row = last._replace(ver=last.ver + 1, key=key, at=last.at + 1)
    return chained(last.hash, row)


def round_row(row: LogRow, table_id: str = "a-table") -> RoundRow:
    """Give the projection of an open round whose first row is `row`."""
    return RoundRow(
        account=row.account,
        round_id=row.round_id,
        log_account=row.account,
        operator="dev",
        mode="real",
        table_id=table_id,
        table_version="v" * 64,
        currency="EUR",
        status="playing",
        opened_at=row.at,
        expires_at=row.at + 90 * DAY,
        decided_at=None,
        closed_at=None,
        stake=1_000,
        payout=None,
    )


def opened(database: Database, account: str | None = None) -> LogRow:
    """Store a new round; give its first row."""
    row = first_row(account or new_id())
    open_round(database, SHOE, row, round_row(row))
    return row
