"""Which wallet keeps a player's money."""

import time
from collections.abc import Callable, Mapping

from service.recorded import Ask
from service.store.database import Database
from service.store.operators import OperatorRow, all_operators
from service.wallet.calls import Calls
from service.wallet.ledger import LedgerWallet
from service.wallet.notable import Watch
from service.wallet.port import Wallet
from service.wallet.seamless import SeamlessWallet

FRESH_SECONDS = 5
UNKNOWN_SECONDS = 1
_WATCH = Watch()


class OperatorUnknown(LookupError):
    """A token speaks for an operator that there is not."""


class Wallets:
    """The wallet of each operator; demo money is always the ledger's.

    An operator added while the service runs is known within ``UNKNOWN_SECONDS``; a
    change of his within ``FRESH_SECONDS``.
    """

    def __init__(
        self,
        database: Database,
        calls: Calls,
        clock: Callable[[], float] = time.monotonic,
        *,
        watch: Watch = _WATCH,
    ) -> None:
        self._database = database
        self._calls = calls
        self._clock = clock
        self._read_at = -float("inf")
        self._operators: Mapping[str, OperatorRow] = {}
        self._watch = watch
        self._ledger = LedgerWallet(database, watch)
        self._seamless: dict[OperatorRow, SeamlessWallet] = {}

    def operator(self, name: str) -> OperatorRow:
        """Return an operator. Raises OperatorUnknown or DatabaseUnavailable."""
        for seconds in (FRESH_SECONDS, UNKNOWN_SECONDS):
            if self._clock() - self._read_at >= seconds:
                rows = all_operators(self._database)
                self._operators = {row.operator: row for row in rows}
                self._read_at = self._clock()
            if name in self._operators:
                return self._operators[name]
        raise OperatorUnknown(name)

    def of(self, ask: Ask) -> Wallet:
        """Return who keeps the money of the player who asks.

        Raises OperatorUnknown or DatabaseUnavailable.
        """
        operator = self.operator(ask.operator)
        if ask.mode == "demo" or operator.wallet == "ledger":
            return self._ledger
        return self._over_http(operator)

    def seamless(self, operator: str) -> SeamlessWallet:
        """Return the operator's wallet over HTTP: of an operator who had one, too.

        Raises OperatorUnknown or DatabaseUnavailable.
        """
        return self._over_http(self.operator(operator))

    def _over_http(self, operator: OperatorRow) -> SeamlessWallet:
        """Return the same wallet each time, so that a job can put calls together."""
        wallet = self._seamless.get(operator)
        if wallet is None:
            parts = (self._database, self._calls, operator, self._watch)
            wallet = self._seamless[operator] = SeamlessWallet(*parts)
        return wallet
