"""The port to whoever keeps a player's money, and what it can answer."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from service.meter import Shown
from service.recorded import Ask
from service.rules.commands import BoxWager, Command
from service.rules.events import Event
from service.rules.round import Round
from service.sealing import SealedShoe
from service.store.rows import LogRow


class Accepted(NamedTuple):
    """A command that the rules accept, decided and not written yet.

    ``last`` is the round's row before it, None for a deal; ``shoe`` is a deal's.
    ``shown`` is the jackpot that the reply shows, and that a deal contributes to;
    ``also`` is to be done in the transaction that writes it, before that.
    """

    ask: Ask
    round_id: str
    command: Command
    last: LogRow | None
    at: int
    before: Round | None
    after: Round
    events: tuple[Event, ...]
    shoe: SealedShoe | None
    shown: Shown | None = None
    also: Callable[[], object] | None = None

    @property
    def version(self) -> int:
        """The version that the command makes."""
        return self.last.ver + 1 if self.last else 1


class Carried(NamedTuple):
    """A command that was written: its row, and what the player has after it.

    ``balance`` is None where no money moved or the wallet did not say.
    """

    row: LogRow
    balance: int | None


class DealTerms(NamedTuple):
    """What a waiting deal was decided under: wagers, table version, wager limits."""

    boxes: tuple[BoxWager, ...]
    version: str
    minimum: int
    maximum: int


class Pending(NamedTuple):
    """A debit whose answer is not known: the command that waits for it."""

    round_id: str
    version: int
    player: str
    key: str
    request: bytes
    at: int
    terms: DealTerms | None


class Wallet(Protocol):
    """Moves money for commands, exactly once whatever dies.

    Every call has an id made of round, version and purpose, and may be repeated.
    """

    def carry(self, accepted: Accepted) -> Carried:
        """Write a command and move its money.

        Money that the command stakes is taken before its row is written, so before a
        card falls; money that it pays is owed from the row on.

        Raises FundsShort, WalletRefused, Stopped, WalletWaits, NothingWaits, LostRace,
        KeyUsed, OpenRoundExists or DatabaseUnavailable.
        """
        ...

    def carry_all(self, batch: Sequence[Accepted]) -> None:
        """Write commands that stake nothing, each of another round; all or none.

        For jobs: call it in a transaction of their own. What the commands pay is owed
        from its end on, and nobody waits for it.

        Raises LostRace, KeyUsed or DatabaseUnavailable.
        """
        ...

    def pending(self, account: str, round_id: str) -> Pending | None:
        """Return the debit that the round waits for, if it does."""
        ...

    def pending_deal(self, account: str, table_id: str) -> Pending | None:
        """Return the debit that a deal at the table waits for, if one does."""
        ...

    def give_up(self, account: str, round_id: str) -> None:
        """Undo the debit that the round waits for, if it does, before it malfunctions.

        Raises DatabaseUnavailable.
        """
        ...

    def balance(self, ask: Ask, currency: str) -> int | None:
        """Return what the player has, in minor units; None when it is not known."""
        ...

    def balance_after(self, account: str, round_id: str, version: int) -> int | None:
        """Return what the player had after a command, if the log does not say it."""
        ...


class FundsShort(Exception):
    """The player has too little; ``balance`` is what he has, if that is known."""

    def __init__(self, required: int, balance: int | None) -> None:
        super().__init__(f"{required} required")
        self.required = required
        self.balance = balance


class WalletRefused(Exception):
    """The operator's wallet refuses for another reason than funds: its own code."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class WalletWaits(Exception):
    """The wallet's answer is not known yet; the same key finds it out."""

    def __init__(self, round_id: str) -> None:
        super().__init__(f"round {round_id} waits for the wallet")
        self.round_id = round_id


class NothingWaits(Exception):
    """A command was to be gone on with, and its stake is not waited for any more."""


class Stopped(Exception):
    """No new money is taken of this player now; ``who`` was stopped.

    It is "everybody", "operator" or "player".
    """

    def __init__(self, who: str) -> None:
        super().__init__(f"{who} stopped")
        self.who = who
