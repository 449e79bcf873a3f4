"""Every kind of money in one database: ledger, wallet and demo, open and ended."""

from typing import Final

import pytest

from service.answers import Answer, seen_in
from service.chance import WholeShoe, new_id
from service.recorded import Ask
from service.refusals import NotFunded
from service.rules.commands import Expire
from service.rules.decide import decide
from service.rules.fold import fold
from service.store.database import Database
from service.store.log import load
from service.store.operators import OperatorRow, add_operator
from service.store.rows import Holder
from service.store.transfers import waiting_deal
from service.wallet.cash import Cash, move_cash
from service.wallet.demo import refill
from service.wallet.port import Accepted, WalletWaits
from tests.wallet.casino import OPERATOR, Casino, Guest

BANK: Final = "bank"


class Saver(Guest):
    """A player whose money the ledger keeps."""

    __slots__ = ()

    def ask(self, key: str | None = None, what: object = None) -> Ask:
        return super().ask(key, what)._replace(operator=BANK)


class Dreamer(Guest):
    """A player for demo money."""

    __slots__ = ()

    def ask(self, key: str | None = None, what: object = None) -> Ask:
        return super().ask(key, what)._replace(mode="demo")


class Busy:
    """What was played, and the rounds by name: "won", "lost", "open" and so on."""

    def __init__(self, casino: Casino) -> None:
        self.casino: Final = casino
        owner = Database(casino.dsn, role=None)
        add_operator(owner, OperatorRow(BANK, "ledger", None, sandbox=False))
        self.saver: Final = Saver(casino, "ann", new_id())
        holder = Holder(self.saver.account, BANK, "ann", "real")
        move_cash(owner, Cash(holder, "USD", "deposit", 90_000, "in-1"))
        move_cash(owner, Cash(holder, "USD", "withdrawal", 10_000, "out-1"))
        self.ledger: Final = self._rounds(self.saver)
        self.guest: Final = casino.player()
        self.wallet: Final = self._rounds(self.guest)
        self.wallet["refused"] = self._refused()
        dreamer = Dreamer(casino, "dee", new_id())
        casino.rig.stack("P T,7 | U 9 | H 9")
        dreamer.finish(dreamer.deal(5_000))
        refill(owner, dreamer.ask().holder, "USD", new_id())
        self.wallet["undone"] = self._rolled_back()
        casino.work()
        owner.close()

    def _rounds(self, guest: Guest) -> dict[str, str]:
        rig = self.casino.rig
        rig.stack("P 8,8 | U 6 | H T | 3,K,9,T")
        won = guest.act(guest.act(guest.deal(1_000), "split"), "double")
        played = {"won": guest.finish(won)}
        rig.stack("P T,7 | U 9 | H 9")
        played["lost"] = guest.finish(guest.deal(1_000))
        rig.stack("P T,7 | U A | H K")
        played["insured"] = guest.finish(guest.insure(guest.deal(1_000), 1))
        rig.stack("P T,9 | U T | H 7")
        on = guest.finish(guest.deal(1_000))
        played["broken"] = self._taken_back(guest, on)
        rig.stack("P T,6 | U 6 | H T")
        played["void"] = guest.deal(1_000, table="american-five")
        self._expire(guest, played["void"])
        rig.stack("P 9,2 | U 6 | H T | 2")
        played["open"] = guest.deal(2_000, table="american-five")
        rig.stack("P 5,6 | U 6 | H T | K")
        decided = guest.act(guest.deal(3_000), "double")
        played["decided"] = decided
        return {name: answer.round_id for name, answer in played.items()}

    def _taken_back(self, guest: Guest, on: Answer) -> Answer:
        return self.casino.play.malfunction(guest.ask(), on.round_id, "a fault")

    def _refused(self) -> str:
        """Leave a debit that the wallet refused, of a deal that came to nothing."""
        poor = self.casino.player(5)
        with pytest.raises(NotFunded):
            poor.deal(1_000)
        (found,) = self.casino.owner(
            "SELECT round FROM transfer WHERE status = 'refused'"
        )
        return str(found[0])

    def _rolled_back(self) -> str:
        """Leave a debit that was given up, and its rollback."""
        guest, casino = self.casino.player(), self.casino
        casino.wallet.arm(rates={"error_after": 1.0})
        with pytest.raises(WalletWaits):
            guest.deal(1_000)
        casino.wallet.arm(rates={})
        debit = waiting_deal(casino.database, guest.account, "classic-three")
        assert debit is not None
        casino.wallets.seamless(OPERATOR).undo(debit)
        return debit.round_id

    def _expire(self, guest: Guest, on: Answer) -> None:
        casino, ask = self.casino, guest.ask()
        rows = load(casino.database, guest.account, on.round_id, None).rows
        catalog = casino.play._house.catalog  # noqa: SLF001 - as the service has it
        before = seen_in(on.round_id, rows, catalog.versions()).round
        end = Expire(before.opened.expires_at)
        events = tuple(decide(before, end, WholeShoe(b"", "")))
        place = (on.round_id, end, rows[-1], end.at)
        after = fold(events, before)
        casino.wallets.of(ask).carry(Accepted(ask, *place, before, after, events, None))
