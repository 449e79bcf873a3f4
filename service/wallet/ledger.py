"""The wallet of the house: a ledger in the same database and transaction."""

from collections import Counter
from collections.abc import Sequence

from service.chance import new_id
from service.recorded import Ask, data_of, next_row, projection_of
from service.store.batches import Purse, append_all, enter_all, pay_all, project_all
from service.store.database import Database
from service.store.jackpots import Contribution
from service.store.ledger import Entry, Line, Taking, balance_of, correct, take
from service.store.log import append, refuse_late
from service.store.rows import LogRow
from service.store.significant import Significant, note
from service.store.standing import who_is_stopped
from service.store.writes import append_and_project, append_paid, open_round
from service.wallet.demo import demo_units, open_demo
from service.wallet.move import Move, move_of
from service.wallet.notable import Watch, notes_of
from service.wallet.port import Accepted, Carried, FundsShort, Pending, Stopped


class LedgerWallet:
    """Moves money and writes the command in one transaction; nothing ever waits."""

    def __init__(self, database: Database, watch: Watch) -> None:
        self._database = database
        self._watch = watch

    def carry(self, accepted: Accepted) -> Carried:
        """Write a command and its money together. Raises as `Wallet.carry` says."""
        move = move_of(accepted.before, accepted.after, accepted.events)
        if move.is_nothing:
            row = row_of(accepted, None)
            notes = notes_of(accepted, self._watch)
            write(self._database, accepted, row, None, notes)
            return Carried(row, None)
        with self._database.transaction():
            balance, owed = self._moved(accepted, move), 0
            if move.corrections:
                balance, owed = self._corrected(accepted, move)
            row = row_of(accepted, balance, owed)
            entry = _entry(row, accepted, move, balance, owed)
            notes = notes_of(accepted, self._watch, owed)
            write(self._database, accepted, row, entry, notes)
        return Carried(row, balance)

    def carry_all(self, batch: Sequence[Accepted]) -> None:
        """Write commands of jobs with few statements, and pay what they pay."""
        moves = [move_of(one.before, one.after, one.events) for one in batch]
        purses = [(one.ask.account, one.after.opened.currency) for one in batch]
        paid: Counter[Purse] = Counter()
        for purse, move in zip(purses, moves, strict=True):
            assert not move.stakes, "a job stakes nothing"
            if not move.is_nothing:
                paid[purse] += move.payout
        then = pay_all(self._database, paid) if paid else {}
        has = {purse: balance - paid[purse] for purse, balance in then.items()}
        rows, entries = [], []
        for one, purse, move in zip(batch, purses, moves, strict=True):
            if move.is_nothing:
                rows.append(row_of(one, None))
                continue
            has[purse] += move.payout
            row = row_of(one, has[purse])
            rows.append(row)
            entries.append(_entry(row, one, move, has[purse]))
        write_all(self._database, batch, rows, self._watch)
        if entries:
            enter_all(self._database, entries)

    def pending(self, account: str, round_id: str) -> Pending | None:  # noqa: ARG002 - the port's
        """Return None: the ledger answers at once."""
        return None

    def pending_deal(self, account: str, table_id: str) -> Pending | None:  # noqa: ARG002 - the port's
        """Return None: the ledger answers at once."""
        return None

    def give_up(self, account: str, round_id: str) -> None:
        """Do nothing: the ledger answers at once."""

    def balance(self, ask: Ask, currency: str) -> int:
        """Return what the player has; a demo player begins with his units."""
        found = balance_of(self._database, ask.account, currency)
        if found is None and ask.mode == "demo":
            return demo_units(currency)
        return found or 0

    def balance_after(self, account: str, round_id: str, version: int) -> None:
        """Return None: the log says it."""

    def _corrected(self, accepted: Accepted, move: Move) -> tuple[int, int]:
        """Put right what was paid; return what the player has, and owes, then."""
        where = (accepted.ask.account, accepted.after.opened.currency)
        corrected = correct(self._database, *where, move.correction)
        assert corrected is not None, "who staked has a balance"
        balance, moved = corrected
        return balance, moved - move.correction

    def _moved(self, accepted: Accepted, move: Move) -> int:
        ask, currency = accepted.ask, accepted.after.opened.currency
        who = (ask.operator, ask.player)
        taking = Taking(*who, ask.account, currency, move.stake, move.payout)
        balance = take(self._database, taking)
        if balance is not None:
            return balance
        # A copy of the command, or another one, may have been faster, and be why.
        refuse_late(self._database, row_of(accepted, None))
        stopped = who_is_stopped(self._database, *who) if move.stake else None
        if stopped is not None:
            raise Stopped(stopped)
        has = balance_of(self._database, ask.account, currency)
        if has is None and ask.mode == "demo":
            open_demo(self._database, ask.holder, currency, accepted.at)
        elif has is None or has < move.stake:
            raise FundsShort(move.stake, has or 0)
        # What was too little when it was taken is enough now.
        return self._moved(accepted, move)


def row_of(accepted: Accepted, balance: int | None, owed: int = 0) -> LogRow:
    """Return the row of a command, with the balance that its reply shows."""
    holder = accepted.ask.holder if accepted.last is None else None
    told = (accepted.ask.by, accepted.shown)
    data = data_of(accepted.events, balance, holder, *told, owed=owed)
    where = (accepted.ask, accepted.round_id)
    return next_row(accepted.last, *where, accepted.at, data)


def write(
    db: Database,
    accepted: Accepted,
    row: LogRow,
    entry: Entry | None,
    notes: Sequence[Significant],
) -> None:
    """Write a command with one statement: row, money, shoe, projection, and notes.

    What is `also` to be done is in the same transaction, and comes first: it locks a
    meter, as a hit does before it writes its row.
    """
    if accepted.also is not None:
        with db.transaction():
            accepted.also()
            write(db, accepted._replace(also=None), row, entry, notes)
        return
    after = accepted.after
    holder = accepted.ask.holder
    if accepted.shoe is not None:
        told = projection_of(row, after, holder)
        more = contribution_of(accepted)
        open_round(
            *(db, accepted.shoe, row, told, entry), notes=notes, contribution=more
        )
    elif after.decided_at is not None or after.closed_at is not None:
        round_ = projection_of(row, after, holder, accepted.ask.by)
        append_and_project(db, row, round_, entry, notes=notes)
    elif entry is not None:
        append_paid(db, row, entry)
    else:
        append(db, row)


def contribution_of(accepted: Accepted) -> Contribution | None:
    """Return what a deal's bonus wagers of real money are for, if for anything."""
    ask, shown = accepted.ask, accepted.shown
    wagers = sum(box.bonus_wager for box in accepted.after.boxes)
    if shown is None or ask.mode != "real" or not wagers:
        return None
    return Contribution(ask.operator, shown.jackpot_id, accepted.round_id, wagers)


def write_all(
    db: Database, batch: Sequence[Accepted], rows: Sequence[LogRow], watch: Watch
) -> None:
    """Write commands of jobs, each of another round: rows, projection, notes."""
    append_all(db, rows)
    note(db, *(told for one in batch for told in notes_of(one, watch)))
    project_all(
        db,
        [
            projection_of(row, one.after, one.ask.holder, one.ask.by)
            for one, row in zip(batch, rows, strict=True)
        ],
    )


def _entry(
    row: LogRow, accepted: Accepted, move: Move, balance: int, owed: int = 0
) -> Entry:
    """Return the lines of a command; the one that ends the round holds nothing."""
    player = move.payout - move.stake + move.correction + owed
    held = -move.held if move.ends or move.corrections else -player
    lines = [Line("player", player), Line("held", held), Line("house", -player - held)]
    return Entry(
        holder=accepted.ask.holder,
        entry_id=new_id(),
        purpose=move.purpose,
        round_id=row.round_id,
        ver=row.ver,
        reference=None,
        currency=accepted.after.opened.currency,
        lines=[line for line in lines if line.amount or line.side == "player"],
        balance=balance,
        at=row.at,
    )
