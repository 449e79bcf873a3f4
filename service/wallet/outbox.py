"""Calls to an operator's wallet that are owed: each is made until it is answered."""

from collections.abc import Iterable
from typing import Final

from service.store.database import Database, clock
from service.store.errors import DatabaseUnavailable
from service.store.operators import OperatorRow
from service.store.significant import note
from service.store.transfers import (
    Transfer,
    count_try,
    earlier_waits,
    end_transfer,
)
from service.wallet.calls import Calls
from service.wallet.notable import owed_note
from service.wallet.schedule import Patience
from service.wallet.wire import Denied, Done, Funds, said_of

FUNDS: Final = "insufficient_funds"


class Outbox:
    """Makes the calls to one operator's wallet that are written down already."""

    def __init__(self, database: Database, calls: Calls, operator: OperatorRow) -> None:
        self._database = database
        self._calls = calls
        self._operator = operator

    def deliver(self, transfer: Transfer, now: int) -> Done | Denied | None:
        """Make a call in its turn, once; None unless it was acknowledged.

        A correction may be refused, and that is its end: the player has not the money,
        and owes it.

        Raises DatabaseUnavailable; the call may have been made.
        """
        return self._made(transfer, now, self._calls.times.in_turn)

    def at_once(self, owed: Iterable[Transfer]) -> Funds | None:
        """Deliver what is owed, in order, as far as it goes; the job does the rest."""
        funds: Funds | None = None
        try:
            for transfer in owed:
                last = transfer.kind in {"end", "correction"}
                if last and earlier_waits(self._database, transfer):
                    break  # it comes after all else of its round
                now = clock(self._database)
                delivered = self._made(transfer, now, self._calls.times.at_once)
                if delivered is None:
                    count_try(self._database, transfer)
                    break
                funds = delivered.funds
        except DatabaseUnavailable:
            return funds  # the command is written all the same
        return funds

    def _made(
        self, transfer: Transfer, now: int, patience: Patience
    ) -> Done | Denied | None:
        """Make a call of the outbox and note its end; None: the end is not known."""
        outcome = self._calls.transfer(self._operator, transfer, now, patience)
        match outcome:
            case Done():
                end_transfer(self._database, transfer, "confirmed", said_of(outcome))
                return outcome
            case Denied(code) if transfer.kind == "correction" and code == FUNDS:
                db, said = self._database, said_of(outcome)
                with db.transaction():
                    if end_transfer(db, transfer, "refused", said) is not None:
                        note(db, owed_note(transfer, now))
                return outcome
        return None
