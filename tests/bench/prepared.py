"""Requests that are ready to be sent, and the rounds that they are for.

The rounds are dealt and played by the service's own `Play`, each for a player of its
own. A rigged shuffler deals the same cards to all, so that a hit decides no round and
a settlement finds a decided one.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import orjson
from rich.progress import track

from service.api.log import open_log
from service.api.tokens import Mode, TokenKeys, account_of
from service.catalog import Catalog
from service.chance import new_id
from service.dealing import Wish
from service.house import House
from service.meters import Meters
from service.operators import OperatorKeys
from service.play import Play
from service.recorded import Ask
from service.rules.cards import Card, deck_order
from service.rules.commands import BoxWager
from service.sealing import KeyRing
from service.store.database import Database
from service.store.rows import Holder
from service.wallet.calls import Calls
from service.wallet.cash import Cash, move_cash
from service.wallet.schedule import PUBLISHED
from service.wallet.wallets import Wallets
from tests.bench.site import OPERATOR, Site

TABLE: Final = "progressive-five"
CURRENCY: Final = "USD"
BOXES: Final = ((1, 1000), (3, 500))
# Box 1 has 9, box 3 has 17: whatever the hit brings, box 1 is not over.
FOR_HIT: Final = "5S TD 6C 4H 7D 9C"
# Box 1 has a natural; box 3 stands on 19, and the round is decided.
FOR_SETTLEMENT: Final = "AS TD 6C KH 9D TC"
_THREADS: Final = 4
_FUNDS: Final = 100_000
_LIFETIME: Final = 12 * 60 * 60


class Rigged:
    """A shuffler whose shoes begin with given cards."""

    name: Final = "rigged"

    def __init__(self, cards: str) -> None:
        first = [Card(card) for card in cards.split()]
        rest = list(deck_order(8))
        for card in first:
            rest.remove(card)
        # Spread out, so that no draw is a run of one suit.
        self._order = (*first, *rest[::3], *rest[1::3], *rest[2::3])

    def order(self, decks: int) -> tuple[Card, ...]:
        assert decks == 8, TABLE
        return self._order

    def salt(self) -> bytes:
        return bytes(32)


class Prepared:
    """Makes requests for a site."""

    def __init__(self, site: Site) -> None:
        self._tokens = TokenKeys.from_file(site.token_keys)
        self._keys = KeyRing.from_file(site.shoe_keys)
        # Nothing is measured here, so nothing has to wait for the disk.
        self._database = Database(
            f"{site.server.dsn}&options=-c%20synchronous_commit%3Doff"
        )
        self._catalog = Catalog(self._database)
        self._now = int(time.time())

    def deals(self, count: int) -> list[bytes]:
        """Return deals, each of another player."""
        body = {
            "table_id": TABLE,
            "currency": CURRENCY,
            "boxes": [{"box": box, "wager": wager} for box, wager in BOXES],
        }
        return [
            self._request(_player(), "/v1/rounds", body)
            for _ in track(range(count), "deals")
        ]

    def paid_deals(self, count: int) -> list[bytes]:
        """Return deals for real money, each of another player who has some."""
        return self._many(lambda _: self._paid_deal(None), count, "paid deals")

    def bonus_deals(self, count: int) -> list[bytes]:
        """Return the same deals with a bonus wager on each box."""
        return self._many(lambda _: self._paid_deal(100), count, "bonus deals")

    def _paid_deal(self, bonus: int | None) -> bytes:
        player = _player()
        holder = Holder(account_of(OPERATOR, player, "real"), OPERATOR, player, "real")
        funds = Cash(holder, CURRENCY, "deposit", _FUNDS, f"funds-{player}")
        move_cash(self._database, funds)
        side = {} if bonus is None else {"bonus_wager": bonus}
        body = {
            "table_id": TABLE,
            "currency": CURRENCY,
            "boxes": [{"box": box, "wager": wager, **side} for box, wager in BOXES],
        }
        return self._request(player, "/v1/rounds", body, mode="real")

    def hits(self, count: int) -> list[bytes]:
        """Return hits, each on a round that it does not decide."""
        play = self._play(FOR_HIT)

        def hit(_: int) -> bytes:
            player = _player()
            round_id = _deal(play, player)
            body = {"hand": "1a", "action": "hit"}
            return self._request(player, f"/v1/rounds/{round_id}/actions", body, 1)

        return self._many(hit, count, "rounds to hit")

    def settlements(self, count: int) -> list[bytes]:
        """Return settlements, each of a decided round."""
        play = self._play(FOR_SETTLEMENT)

        def settlement(_: int) -> bytes:
            player = _player()
            round_id = _deal(play, player)
            answer = play.act(_ask(player), round_id, 1, "3a", "stand")
            assert answer.round.status == "awaiting_settlement"
            return self._request(player, f"/v1/rounds/{round_id}/settlement", None, 2)

        return self._many(settlement, count, "rounds to settle")

    def example(self) -> tuple[str, str]:
        """Return account and id of a round that was hit once."""
        player = _player()
        play = self._play(FOR_HIT)
        round_id = _deal(play, player)
        ask = _ask(player)
        play.act(ask, round_id, 1, "1a", "hit")
        return ask.account, round_id

    def close(self) -> None:
        """Close the connections."""
        self._database.close()

    def _play(self, cards: str) -> Play:
        operators = OperatorKeys(self._database, self._keys)
        calls = Calls(operators, open_log(requests=False), PUBLISHED)
        wallets = Wallets(self._database, calls)
        parts = (self._database, self._catalog, wallets, self._keys, Rigged(cards))
        return Play(House(*parts, Meters(self._database)))

    @staticmethod
    def _many(make: Callable[[int], bytes], count: int, name: str) -> list[bytes]:
        with ThreadPoolExecutor(_THREADS) as threads:
            made = threads.map(make, range(count))
            return list(track(made, name, count))

    def _request(
        self,
        player: str,
        path: str,
        body: object,
        version: int | None = None,
        mode: Mode = "demo",
    ) -> bytes:
        token = self._tokens.issue(
            operator=OPERATOR,
            player=player,
            currency=CURRENCY,
            mode=mode,
            now=self._now,
            lifetime=_LIFETIME,
        )
        content = b"" if body is None else orjson.dumps(body)
        lines = [
            f"POST {path} HTTP/1.1",
            "Host: bench",
            f"Authorization: Bearer {token}",
            f"Idempotency-Key: {new_id()}",
            f"Content-Length: {len(content)}",
        ]
        if body is not None:
            lines.append("Content-Type: application/json")
        if version is not None:
            lines.append(f'If-Match: "{version}"')
        return "\r\n".join([*lines, "", ""]).encode() + content


def _player() -> str:
    return f"p{new_id()}"


def _ask(player: str) -> Ask:
    account = account_of(OPERATOR, player, "demo")
    return Ask(account, player, new_id(), bytes(32), operator=OPERATOR, mode="demo")


def _deal(play: Play, player: str) -> str:
    boxes = tuple(BoxWager(box, player, wager) for box, wager in BOXES)
    wish = Wish(TABLE, CURRENCY, boxes, raise_to_minimum=False)
    answer = play.deal(_ask(player), wish)
    return answer.round_id
