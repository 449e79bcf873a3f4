"""What a player has seen, for the check at the end."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tests.chaos.plan import Traits


class Answered(NamedTuple):
    """A command that was accepted, as its answer told it; money in minor units."""

    key: str
    round_id: str
    version: int
    text: str
    """Its events in short, see story.py."""
    balance: int | None


class Receipt(NamedTuple):
    """Money that an operator moved for a player; what is brought is positive."""

    reference: str
    amount: int
    balance: int


class Ended(NamedTuple):
    """What a round came to, as it was shown to its player."""

    stake: int
    payout: int


@dataclass
class Witness:
    """A player's own books: he believes nobody."""

    name: Final[str]
    traits: Final[Traits]
    answers: Final[list[Answered]] = field(default_factory=list)
    refused: Final[set[str]] = field(default_factory=set)
    """Keys of commands that were refused for good."""
    forgotten: Final[set[str]] = field(default_factory=set)
    """Keys of commands whose answers nobody waited for."""
    rounds: Final[dict[str, Ended | None]] = field(default_factory=dict)
    """None: he has seen no end of it yet."""
    receipts: Final[list[Receipt]] = field(default_factory=list)
    faults: Final[list[str]] = field(default_factory=list)
    """What he was told that must not be."""
    funds: int | None = None
    """What he was told at the end that he has."""

    @property
    def tally(self) -> int:
        """What he should have, by his own account."""
        ended = [end for end in self.rounds.values() if end is not None]
        won = sum(end.payout - end.stake for end in ended)
        return won + sum(receipt.amount for receipt in self.receipts)
