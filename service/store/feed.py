"""An operator's feed: all that moved his players' money, in the order of commits.

Whoever reads on from where he was loses no late commit: only what no open transaction
can come before is shown, and a transaction's number is its place. A call to a wallet
moves to its last change's place, so that it is seen again with its new status.
"""

from typing import Final, Literal, NamedTuple

from service.store.database import Database

# The order is that of the numbers, not of the text that they are sent as.
_FEED: Final = """
SELECT moved.tx::text AS place, id, source, at, player, mode, currency, kind, purpose,
    round, ver, amount, status, balance, reference, session, table_id, debit, said,
    ended_at
FROM (
    (SELECT tx, entry AS id, 'ledger' AS source, at, player, mode, currency,
        NULL AS kind, purpose, round, ver, amount, NULL AS status, balance, reference,
        NULL::uuid AS session, NULL AS table_id, NULL::uuid AS debit,
        NULL::json AS said, NULL::timestamptz AS ended_at
    FROM ledger
    WHERE operator = %s AND mode = %s AND side = 'player'
        AND (tx, entry) > (%s::xid8, %s::uuid)
        AND tx < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY tx, entry LIMIT %s)
    UNION ALL
    (SELECT tx, transfer, 'wallet', made_at, player, 'real', currency, kind, purpose,
        round, ver, amount, status, NULL, NULL, session, table_id, debit, said, ended_at
    FROM transfer
    WHERE operator = %s AND %s = 'real'
        AND (tx, transfer) > (%s::xid8, %s::uuid)
        AND tx < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY tx, transfer LIMIT %s)
) AS moved
ORDER BY moved.tx, moved.id LIMIT %s
"""


class Place(NamedTuple):
    """Where one movement stands in the feed: its transaction, then its id."""

    tx: int
    id: str


BEGINNING: Final = Place(0, "00000000-0000-0000-0000-000000000000")
"""Before the first movement."""


class Movement(NamedTuple):
    """An entry of the ledger, or a call to a wallet as it stands.

    Money in minor units, times in microseconds since 1970 UTC. An entry's `amount` is
    what the player gained; a call's is what was asked, and its `kind` says which way.
    """

    place: Place
    source: Literal["ledger", "wallet"]
    at: int
    player: str
    mode: str
    currency: str
    kind: str | None
    purpose: str
    round_id: str | None
    ver: int | None
    amount: int
    status: str | None
    balance: int | None
    reference: str | None
    session: str | None
    table_id: str | None
    debit: str | None
    said: bytes | None
    """JSON of what the wallet answered."""
    ended_at: int | None

    @property
    def moved(self) -> int | None:
        """What the player gained for good; None while that is not known.

        A debit that was refused or rolled back and its rollback are 0 together, so each
        is 0 here: nobody knows which of them the wallet took for a while.
        """
        match self.status, self.kind:
            case None, _:
                return self.amount
            case "requested", _:
                return None
            case "confirmed", "debit":
                return -self.amount
            case "confirmed", "credit" | "refund" | "correction":
                return self.amount
            case _:
                return 0


def movements(
    db: Database, operator: str, mode: str, after: Place, limit: int
) -> list[Movement]:
    """List what moved after a place, oldest first: what is committed for good.

    Raises:
        DatabaseUnavailable: no answer.
    """
    place = (str(after.tx), after.id, limit)
    values = (operator, mode, *place, operator, mode, *place, limit)
    return [
        Movement(Place(int(tx), name), *row)
        for tx, name, *row in db.read(_FEED, values)
    ]
