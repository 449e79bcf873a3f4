"""The wallet of an operator, over HTTP: each stake and payout exactly once.

A debit is a committed row, then a call, then, in one transaction, a confirmed row and
the command in the log; only then has a card left the shoe. Whoever dies on the way
leaves a row that waits, and whoever finds it asks again under the same id: the player
with the same key, or a job. A payout is a row beside the command that owes it, and is
delivered until the wallet acknowledges it.
"""

from collections.abc import Sequence

from service.recorded import Ask
from service.store.database import Database, clock
from service.store.errors import (
    KeyUsed,
    LostRace,
    OpenRoundExists,
    TransferExists,
    TransferWaits,
)
from service.store.log import refuse_late
from service.store.operators import OperatorRow
from service.store.standing import who_is_stopped
from service.store.transfers import (
    Status,
    Transfer,
    ask_again,
    ask_debit,
    debits_of,
    debits_of_all,
    end_transfer,
    last_said,
    queue,
    waiting_deal,
    waiting_debit,
)
from service.wallet.calls import Calls
from service.wallet.ledger import row_of, write, write_all
from service.wallet.move import Move, move_of
from service.wallet.notable import Watch, notes_of
from service.wallet.outbox import FUNDS, Outbox
from service.wallet.port import (
    Accepted,
    Carried,
    FundsShort,
    NothingWaits,
    Pending,
    Stopped,
    WalletRefused,
    WalletWaits,
)
from service.wallet.schedule import LEASE_SECONDS
from service.wallet.transfers import debit_of, owed_by, pending_of, rollback_of
from service.wallet.wire import (
    Denied,
    Done,
    Unknown,
    denied_in,
    funds_said,
    said_of,
)


class SeamlessWallet:
    """Moves money by calls to one operator's wallet."""

    def __init__(
        self, database: Database, calls: Calls, operator: OperatorRow, watch: Watch
    ) -> None:
        self._database = database
        self._watch = watch
        self._calls = calls
        self._operator = operator
        self._outbox = Outbox(database, calls, operator)

    def carry(self, accepted: Accepted) -> Carried:
        """Write a command and move its money. Raises as `Wallet.carry` says."""
        move = move_of(accepted.before, accepted.after, accepted.events)
        if not move.stake:
            return self._written(accepted, move, None, None)
        debit, now = self._asked(accepted, move)
        patience = self._calls.times.command
        outcome = self._calls.transfer(self._operator, debit, now, patience)
        if isinstance(outcome, Unknown):
            raise WalletWaits(accepted.round_id)
        if isinstance(outcome, Denied):
            refusal = self._refused(debit, outcome)
            self._refuse_late(accepted)
            raise refusal
        return self._written(accepted, move, debit, outcome)

    def carry_all(self, batch: Sequence[Accepted]) -> None:
        """Write commands of jobs; the outbox makes their calls."""
        db = self._database
        rounds = [(one.ask.account, one.round_id) for one in batch]
        debits = debits_of_all(db, rounds)
        rows = [row_of(one, None) for one in batch]
        write_all(db, batch, rows, self._watch)
        for one in batch:
            move = move_of(one.before, one.after, one.events)
            queue(db, owed_by(one, move, debits[one.round_id]), 0)

    def pending(self, account: str, round_id: str) -> Pending | None:
        """Return the debit that the round waits for, if it does."""
        debit = waiting_debit(self._database, account, round_id)
        return debit and pending_of(debit)

    def pending_deal(self, account: str, table_id: str) -> Pending | None:
        """Return the debit that a deal at the table waits for, if one does."""
        debit = waiting_deal(self._database, account, table_id)
        return debit and pending_of(debit)

    def give_up(self, account: str, round_id: str) -> None:
        """Undo the debit that the round waits for, if it does."""
        debit = waiting_debit(self._database, account, round_id)
        if debit is not None:
            self.undo(debit)

    def balance(self, ask: Ask, currency: str) -> int | None:
        """Ask what the player has; None when the wallet does not say."""
        now = clock(self._database)
        whose = (ask.player, currency, ask.session)
        outcome = self._calls.balance(self._operator, *whose, now)
        return outcome.funds.amount if isinstance(outcome, Done) else None

    def balance_after(self, account: str, round_id: str, version: int) -> int | None:
        """Return what the wallet said last about the money of a command."""
        said = last_said(self._database, account, round_id, version)
        funds = funds_said(said)
        return funds and funds.amount

    def deliver(self, transfer: Transfer, now: int) -> bool:
        """Make a call of the outbox, once; False unless it was acknowledged.

        A correction may be refused, and that is its end: the player has not the money,
        and owes it.

        Raises DatabaseUnavailable; the call may have been made.
        """
        return self._outbox.deliver(transfer, now) is not None

    def undo(self, debit: Transfer) -> bool:
        """Give a debit up: roll back what the wallet may have taken.

        False: it does not wait any more, and stays as it is.

        Raises DatabaseUnavailable.
        """
        rollback = rollback_of(debit)
        with self._database.transaction():
            ended = end_transfer(self._database, debit, "rolled_back", None)
            if ended is not None:
                queue(self._database, [rollback], LEASE_SECONDS)
        if ended is None:
            return False
        self._outbox.at_once([rollback])
        return True

    def _asked(self, accepted: Accepted, move: Move) -> tuple[Transfer, int]:
        """Write down the debit, or take up the one that waits; return it and the time.

        Raises LostRace when another command's debit is in the way, Stopped,
        NothingWaits, or what has become of the one that waited: see `_ended`.
        """
        db, ask = self._database, accepted.ask
        debits = debits_of(db, ask.account, accepted.round_id)
        here = [debit for debit in debits if debit.ver == accepted.version]
        for debit in debits:
            if debit.status == "requested" and debit.ver < accepted.version:
                self.undo(debit)  # another command took its version
        for debit in here:
            if debit.status == "requested":
                return debit, self._again(debit, accepted, move)
        if ask.goes_on:
            raise NothingWaits
        attempt = sum(debit.status != "confirmed" for debit in here)
        debit = debit_of(accepted, move, attempt)
        try:
            now = ask_debit(db, debit, accepted.shoe, LEASE_SECONDS)
        except (TransferExists, TransferWaits):
            raise LostRace from None
        if now is None:
            self._refuse_late(accepted)
            raise Stopped(who_is_stopped(db, ask.operator, ask.player) or "player")
        return debit, now

    def _refuse_late(self, accepted: Accepted) -> None:
        """Raise LostRace or KeyUsed if that is why a command's stake is refused.

        A copy of the command, or another one, may have been faster, and its stake be
        the money that is missing.
        """
        refuse_late(self._database, row_of(accepted, None))

    def _again(self, debit: Transfer, accepted: Accepted, move: Move) -> int:
        """Take up a debit that waits for this command; return the time."""
        ask = accepted.ask
        waits_for = (debit.key, debit.player, debit.request)
        if waits_for != (ask.key, ask.player, ask.request):
            raise LostRace
        assert debit.amount == move.stake, "a command that is decided again is the same"
        now = ask_again(self._database, debit, LEASE_SECONDS)
        if now is not None:
            return now
        stopped = who_is_stopped(self._database, ask.operator, ask.player)
        if stopped is None:
            raise self._ended(debit)
        self.undo(debit)
        raise Stopped(stopped)

    def _written(
        self, accepted: Accepted, move: Move, debit: Transfer | None, taken: Done | None
    ) -> Carried:
        """Write a command, its stake `taken`; a debit that comes to nothing is undone.

        Raises LostRace, KeyUsed or OpenRoundExists.
        """
        row = row_of(accepted, taken and taken.funds.amount)
        owed = self._owed(accepted, move)
        notes = notes_of(accepted, self._watch)
        if debit is None and not owed:
            write(self._database, accepted, row, None, notes)
            return Carried(row, None)
        try:
            with self._database.transaction():
                if debit is not None and taken is not None:
                    self._end(debit, "confirmed", taken)
                write(self._database, accepted, row, None, notes)
                queue(self._database, owed, LEASE_SECONDS)
        except (LostRace, KeyUsed, OpenRoundExists):
            if debit is not None and not self.undo(debit):
                raise self._ended(debit) from None
            raise
        funds = self._outbox.at_once(owed) or (taken and taken.funds)
        return Carried(row, funds and funds.amount)

    def _owed(self, accepted: Accepted, move: Move) -> list[Transfer]:
        """Return what the command owes, by the debits of its round."""
        if not (move.payouts or move.corrections or move.ends):
            return []
        debits = debits_of(self._database, accepted.ask.account, accepted.round_id)
        return owed_by(accepted, move, debits)

    def _refused(self, debit: Transfer, denied: Denied) -> Exception:
        """Note that the wallet refuses a debit; return what to raise.

        Somebody else may have asked for it, too, and not know the answer yet: then it
        is rolled back, so that it can't be taken later.
        """
        rollback = []
        try:
            with self._database.transaction():
                tries = self._end(debit, "refused", denied)
                if denied.undo or tries > 1:
                    rollback = [rollback_of(debit)]
                    queue(self._database, rollback, LEASE_SECONDS)
        except LostRace:
            return self._ended(debit)
        self._outbox.at_once(rollback)
        return _denial(debit, denied)

    def _ended(self, debit: Transfer) -> Exception:
        """Return what to raise when another request has ended a debit of this command.

        No other one is asked for in its place: who sent the command may know by now
        that it is refused. If it was given up, he finds out by asking again.
        """
        debits = debits_of(self._database, debit.account, debit.round_id)
        (now,) = (one for one in debits if one.transfer_id == debit.transfer_id)
        if now.status == "refused" and now.said is not None:
            return _denial(debit, denied_in(now.said))
        if now.status == "rolled_back":
            return WalletWaits(debit.round_id)
        return LostRace()

    def _end(self, debit: Transfer, status: Status, said: Done | Denied) -> int:
        """End a debit; return how many asked for it. Raises LostRace if it is ended."""
        tries = end_transfer(self._database, debit, status, said_of(said))
        if tries is None:
            raise LostRace
        return tries


def _denial(debit: Transfer, denied: Denied) -> Exception:
    """Return what to raise when a debit is refused."""
    if denied.code == FUNDS:
        return FundsShort(debit.amount, denied.funds and denied.funds.amount)
    return WalletRefused(denied.code, denied.detail)
