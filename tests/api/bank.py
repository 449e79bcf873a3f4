"""Players who begin with a known balance, and what it comes to."""

from typing import NamedTuple

from service.chance import new_id
from tests.api.operator import Operator
from tests.api.player import Got, Player
from tests.api.site import Site


class Purse(NamedTuple):
    """A player with so much; asks after his balance as his operator does."""

    player: Player
    casino: Operator

    @property
    def balance(self) -> int:
        return self.casino.balance(self.player.name, self.player.currency)

    @property
    def entries(self) -> list[tuple[str, int]]:
        """What the player's ledger lists in his currency, oldest first."""
        query = f"currency={self.player.currency}&limit=100"
        got = self.casino.get(f"/v1/players/{self.player.name}/statement?{query}")
        items = [(one["purpose"], one["amount"]) for one in got.json["items"]]
        return items[-2::-1]  # without the deposit that he began with

    def deal(self, *wagers: int, table: str = "american-five") -> Got:
        return self.player.deal(*wagers, table=table)

    def played(self, moves: str, *wagers: int, table: str = "american-five") -> Got:
        """Deal and make moves, each of which must be accepted."""
        dealt = self.deal(*wagers, table=table)
        assert dealt.status == 201, dealt.body
        return self.player.play(dealt, moves)


def purse(site: Site, amount: int, currency: str = "USD") -> Purse:
    """Give a player whom nobody has met, with so many minor units."""
    player = Player(site.app, f"p-{new_id()}", currency)
    casino = site.operators["dev"]
    got = casino.deposit(player.name, amount, currency)
    assert got.status == 200, got.body
    return Purse(player, casino)
