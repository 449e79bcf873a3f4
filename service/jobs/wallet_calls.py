"""Finish what was begun with an operator's wallet.

The outbox: credits, refunds, rollbacks and ends of rounds are delivered until they are
acknowledged. And debits that wait: asked again under the same id until the answer is
known; then the command that waits for it is completed, as if the player had sent it
again, or what the wallet took is rolled back.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import orjson
from structlog.typing import FilteringBoundLogger

from service import refusals
from service.dealing import Wish
from service.jobs.job import Note
from service.play import Play
from service.recorded import Ask
from service.rules.commands import Refused
from service.store.database import Database
from service.store.errors import DatabaseUnavailable
from service.store.outbox import Due, take_due, waiting
from service.store.transfers import Transfer
from service.wallet.port import NothingWaits, Stopped, WalletRefused, WalletWaits
from service.wallet.schedule import GIVE_UP_SECONDS, RETRY_SECONDS
from service.wallet.seamless import SeamlessWallet
from service.wallet.transfers import boxes_of
from service.wallet.wallets import OperatorUnknown, Wallets

BATCH: Final = 8
"""Calls at a time, each on a thread: done before another copy would take them."""
_SECOND: Final = 1_000_000

_COMES_TO_NOTHING: Final = (
    NothingWaits,
    Refused,
    Stopped,
    WalletRefused,
    refusals.CurrencyMismatch,
    refusals.KeyReused,
    refusals.NotAllowed,
    refusals.NotFunded,
    refusals.RoundNotFound,
    refusals.RoundOpenExists,
    refusals.RoundWaits,
    refusals.SandboxOnly,
    refusals.VersionStale,
)
"""What a command can be told that waited for its stake: the stake goes back."""


class WalletCalls:
    """Makes the calls that are due; copies of it make different ones."""

    name: Final = "wallet-calls"

    def __init__(
        self,
        database: Database,
        wallets: Wallets,
        play: Play,
        log: FilteringBoundLogger,
    ) -> None:
        self._database = database
        self._wallets = wallets
        self._play = play
        self._log = log
        self._threads = ThreadPoolExecutor(BATCH, "wallet-calls")

    def run(self, note: Note) -> bool:
        """Make some calls that are due; say whether there may be more.

        Raises DatabaseUnavailable.
        """
        batch = take_due(self._database, BATCH, RETRY_SECONDS)
        for word in self._threads.map(self._made, batch):
            note(word)
        return bool(batch)

    def look(self) -> list[str]:
        """Say what waits for each operator's wallet."""
        return [
            f"{row.operator}: {row.all} of {row.kind}, {row.due} due now; "
            f"{_tried(row.tries)}, the oldest waits for {row.oldest} s"
            for row in waiting(self._database)
        ]

    def _made(self, due: Due) -> str:
        """Make one call, and say what came of it; nothing stops the others."""
        try:
            wallet = self._wallets.seamless(due.transfer.operator)
            return self._finished(wallet, due)
        except DatabaseUnavailable:
            return "waiting"
        except OperatorUnknown:
            why = "OperatorUnknown"
        except Exception as error:  # noqa: BLE001 - a fault of ours, told below
            why = type(error).__name__
        transfer = due.transfer.transfer_id
        self._log.error("job_fault", job=self.name, transaction=transfer, why=why)
        return "faulty"

    def _finished(self, wallet: SeamlessWallet, due: Due) -> str:
        transfer, now = due
        if transfer.kind != "debit":
            return "delivered" if wallet.deliver(transfer, now) else "waiting"
        word = "completed"
        if now - transfer.made_at < GIVE_UP_SECONDS * _SECOND:
            try:
                self._command(transfer)()
            except WalletWaits:
                return "waiting"
            except _COMES_TO_NOTHING:
                word = "refused"
        # Whatever waits now can never be completed.
        return "rolled back" if wallet.undo(transfer) else word

    def _command(self, debit: Transfer) -> Callable[[], object]:
        """Return the command that a debit waits for, as its player gave it."""
        assert debit.key is not None, "a debit keeps its command's key"
        assert debit.request is not None, "a debit keeps its command's digest"
        assert debit.command is not None, "a debit keeps its command"
        who = (debit.account, debit.player, debit.key, debit.request, debit.currency)
        ask = Ask(*who, debit.operator, "real", debit.session, goes_on=True)
        place = (ask, debit.round_id, debit.ver - 1)
        kept = orjson.loads(debit.command)
        play = self._play
        match kept["command"]:
            case "deal":
                boxes = boxes_of(debit, kept)
                raises = kept["raise_to_minimum"]
                wish = Wish(debit.table_id, debit.currency, boxes, raises)
                return lambda: play.deal(ask, wish)
            case "insure":
                return lambda: play.insure(*place, tuple(kept["boxes"]))
            case "act":
                return lambda: play.act(*place, kept["hand"], kept["action"])
            case _:
                raise AssertionError("no other command has a stake")


def _tried(most: int) -> str:
    """Say how often calls were tried, `most` the one that was tried most."""
    words = {0: "not tried yet", 1: "tried once"}
    return words.get(most, f"tried up to {most} times")
