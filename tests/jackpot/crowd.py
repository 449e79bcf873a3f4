"""Players who all bet on the aces, in this process or in ones that are killed.

As a program it reads {dsn, ring, first, last} as JSON and plays the numbered players
one after another; each one's every command has a key of his own, so whoever was cut
short is played again from the beginning and nothing is done twice.
"""

import json
import sys
from typing import Any, Final

from service.answers import Answer
from service.api.log import open_log
from service.api.tokens import account_of
from service.catalog import Catalog
from service.dealing import Wish
from service.house import House
from service.meters import Meters
from service.operators import OperatorKeys
from service.play import Play
from service.recorded import Ask
from service.rules.commands import BoxWager
from service.sealing import KeyRing
from service.store.database import Database
from service.store.rows import Holder
from service.wallet.calls import Calls
from service.wallet.cash import Cash, move_cash
from service.wallet.wallets import Wallets
from tests.api.site import Rig

OPERATOR: Final = "crowd"
ACES: Final = "P AS,AC | U T | H 7 | AS,AC"
NATURALS: Final = "P A,K / A,K / A,K / A,K / A,K | U 9 | H 7"
FUNDS: Final = 10**9
_REQUEST: Final = bytes(32)


class Crowd:
    """The service's own parts on a database, with the same cards for everybody."""

    def __init__(self, dsn: str, ring: str, cards: str) -> None:
        self.database: Final = Database(dsn)
        keys = KeyRing.from_text(ring, "crowd")
        calls = Calls(OperatorKeys(self.database, keys), open_log(requests=False))
        rig = Rig()
        rig.stack(cards)
        self.meters: Final = Meters(self.database)
        wallets = Wallets(self.database, calls)
        parts = (self.database, Catalog(self.database), wallets, keys, rig)
        self.play: Final = Play(House(*parts, self.meters))

    def hit(self, number: int) -> Answer:
        """Let a player bet on one box, hit the jackpot and be paid."""
        player = f"hitter-{number}"
        self.fund(player)
        at = self.deal(player, 1, "deal")
        for word in ("hit-1", "hit-2", "stand"):
            ask = self.ask(player, word)
            action: Any = word.partition("-")[0]
            at = self.play.act(ask, at.round_id, at.version, "1a", action)
        settle = self.ask(player, "settle")
        return self.play.settle(settle, at.round_id, at.version)

    def bet(self, name: str, rounds: int) -> int:
        """Let a player bet on all boxes again and again; return his bonus wagers."""
        self.fund(name)
        for number in range(rounds):
            at = self.deal(name, 5, f"deal-{number}")
            ask = self.ask(name, f"settle-{number}")
            self.play.settle(ask, at.round_id, at.version)
        return rounds * 5

    def deal(self, player: str, boxes: int, word: str) -> Answer:
        """Let a player bet on boxes, each with a bonus wager; `word` makes the key."""
        wagers = tuple(BoxWager(box, player, 1_000, 100) for box in range(1, boxes + 1))
        wish = Wish("progressive-five", "USD", wagers, raise_to_minimum=False)
        return self.play.deal(self.ask(player, word), wish)

    def fund(self, player: str) -> None:
        """Give a player money, once."""
        holder = Holder(account_of(OPERATOR, player, "real"), OPERATOR, player, "real")
        cash = Cash(holder, "USD", "deposit", FUNDS, f"funds-{player}")
        move_cash(self.database, cash)

    @staticmethod
    def ask(player: str, word: str) -> Ask:
        """Ask as a player under the key of a word."""
        who = (account_of(OPERATOR, player, "real"), player, f"the-{word}-key")
        return Ask(*who, _REQUEST, "USD", OPERATOR)


def main() -> None:
    """Play the players of a job, and write each one's number when he was paid."""
    job: dict[str, Any] = json.load(sys.stdin)
    crowd = Crowd(job["dsn"], job["ring"], ACES)
    for number in range(job["first"], job["last"]):
        crowd.hit(number)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
