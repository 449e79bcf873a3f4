"""The wallet of the house: a ledger in the same database and transaction."""

from collections import Counter
from collections.abc import Sequence

from service.chance import new_id
from service.recorded import Ask, data_of, next_row, projection_of
from service.store.batches import Purse, append_all, enter_all, pay_all, project_all
from service.store.database import Database
from service.store.jackpots import Contribution
from service.store.ledger import Entry, Line, Taking, balance_of, take
from service.store.log import append
from service.store.rows import LogRow
from service.store.significant import PLAYER, Significant, note
from service.store.standing import who_is_stopped
from service.store.writes import append_and_project, append_paid, open_round
from service.wallet.demo import demo_units, open_demo
from service.wallet.move import Move, move_of
from service.wallet.port import Accepted, Carried, FundsShort, Pending, Stopped


class LedgerWallet:
    """Moves money and writes the command in one transaction; nothing ever waits."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def carry(self, accepted: Accepted) -> Carried:
        """Write a command and its money together. Raises as `Wallet.carry` says."""
        move = move_of(accepted.before, accepted.after, accepted.events)
        if move.is_nothing:
            row = row_of(accepted, None)
            write(self._database, accepted, row, None)
            return Carried(row, None)
        with self._database.transaction():
            balance = self._moved(accepted, move)
            row = row_of(accepted, balance)
            write(self._database, accepted, row, _entry(row, accepted, move, balance))
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
        write_all(self._database, batch, rows)
        if entries:
            enter_all(self._database, entries)

    def pending(self, account: str, round_id: str) -> Pending | None:  # noqa: ARG002 - the port's
        """Return None: the ledger answers at once."""
        return None

    def pending_deal(self, account: str, table_id: str) -> Pending | None:  # noqa: ARG002 - the port's
        """Return None: the ledger answers at once."""
        return None

    def balance(self, ask: Ask, currency: str) -> int:
        """Return what the player has; a demo player begins with his units."""
        found = balance_of(self._database, ask.account, currency)
        if found is None and ask.mode == "demo":
            return demo_units(currency)
        return found or 0

    def balance_after(self, account: str, round_id: str, version: int) -> None:
        """Return None: the log says it."""

    def _moved(self, accepted: Accepted, move: Move) -> int:
        ask, currency = accepted.ask, accepted.after.opened.currency
        who = (ask.operator, ask.player)
        taking = Taking(*who, ask.account, currency, move.stake, move.payout)
        balance = take(self._database, taking)
        if balance is not None:
            return balance
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


def row_of(accepted: Accepted, balance: int | None) -> LogRow:
    """Return the row of a command, with the balance that its reply shows."""
    holder = accepted.ask.holder if accepted.last is None else None
    data = data_of(accepted.events, balance, holder, accepted.ask.by, accepted.shown)
    where = (accepted.ask, accepted.round_id)
    return next_row(accepted.last, *where, accepted.at, data)


def write(db: Database, accepted: Accepted, row: LogRow, entry: Entry | None) -> None:
    """Write a command with one statement: row, money, shoe and projection."""
    after = accepted.after
    holder = accepted.ask.holder
    if accepted.shoe is not None:
        told = projection_of(row, after, holder)
        more = contribution_of(accepted)
        open_round(db, accepted.shoe, row, told, entry, contribution=more)
    elif after.decided_at is not None or after.closed_at is not None:
        projected = projection_of(row, after, holder, accepted.ask.by)
        append_and_project(db, row, projected, entry)
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


def write_all(db: Database, batch: Sequence[Accepted], rows: Sequence[LogRow]) -> None:
    """Write commands of jobs, each of another round: rows, projection, notes."""
    append_all(db, rows)
    pairs = zip(batch, rows, strict=True)
    note(db, *(_void_of(one, row) for one, row in pairs if one.after.voided))
    project_all(
        db,
        [
            projection_of(row, one.after, one.ask.holder, one.ask.by)
            for one, row in zip(batch, rows, strict=True)
        ],
    )


def _void_of(accepted: Accepted, row: LogRow) -> Significant:
    after, holder = accepted.after, accepted.ask.holder
    return Significant(
        "round_voided",
        row.at,
        accepted.ask.by or PLAYER,
        operator=holder.operator,
        account=holder.account,
        player=holder.player,
        mode=holder.mode,
        round_id=row.round_id,
        ver=row.ver,
        data={
            "table_id": after.opened.table.table_id,
            "currency": after.opened.currency,
            "stake": after.stake,
            "payout": after.payout,
        },
        why="expired",
    )


def _entry(row: LogRow, accepted: Accepted, move: Move, balance: int) -> Entry:
    """Return the lines of a command; the one that ends the round holds nothing."""
    player = move.payout - move.stake
    held = -move.held if move.ends else -player
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
