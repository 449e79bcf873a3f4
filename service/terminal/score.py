"""What a session's rounds came to."""

from typing import Final

from service.terminal.money import Money
from service.terminal.shapes import Round


class Score:
    """What this session's rounds came to, in minor units."""

    def __init__(self, money: Money) -> None:
        self.money: Final = money
        self.rounds = 0
        self.staked = 0
        self.net = 0

    def add(self, round_: Round) -> None:
        """Count a round that has ended, if it was for this session's money."""
        self.rounds += 1
        if round_["currency"] == self.money.currency:
            self.staked += round_["stake"]
            self.net += net_of(round_)

    def __str__(self) -> str:
        """Say it in a few words, such as `3 rounds, +5.00 USD`."""
        rounds = "round" if self.rounds == 1 else "rounds"
        net = self.money.signed(self.net)
        return f"{self.rounds} {rounds}, {net} {self.money.currency}"


def net_of(round_: Round) -> int:
    """Return what a decided round brought its player, in minor units."""
    return (round_["payout"] or 0) - round_["stake"]
