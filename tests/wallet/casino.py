"""A casino whose players' money is in its own wallet: commands, jobs, and the law."""

import hashlib
import io
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final, NamedTuple

import orjson
import psycopg
import structlog
from structlog.typing import FilteringBoundLogger

from service.answers import Answer
from service.catalog import Catalog
from service.chance import new_id
from service.dealing import Wish
from service.house import House
from service.jackpotfile import parse_jackpot, shipped_jackpots
from service.jobs.job import run_once
from service.jobs.wallet_calls import WalletCalls
from service.meters import Meters
from service.operators import OperatorKeys, new_key
from service.play import Play
from service.recorded import Ask
from service.rules.commands import BoxWager
from service.rules.legal import Action
from service.sealing import KeyRing
from service.store.database import Database
from service.store.feed import BEGINNING, movements
from service.store.jackpot_versions import save_jackpot_version
from service.store.keys import OperatorKey, add_key
from service.store.operators import OperatorRow, add_operator
from service.store.tables import save_table_version
from service.tablefile import parse_table, shipped_tables
from service.wallet.calls import Calls
from service.wallet.port import WalletWaits
from service.wallet.schedule import PUBLISHED, Patience, Times
from service.wallet.wallets import Wallets
from tests.api.site import Rig
from tests.money_law import faults_of
from tests.support.waiting import until
from tests.support.wallet import SECRET, WalletProcess

OPERATOR: Final = "casino"
RING: Final = f'{{"current": "k1", "keys": {{"k1": "{"5a" * 32}"}}}}'
FUNDS: Final = 100_000
QUICK: Final = Times(
    command=Patience(1.0, 0.8, 2.0),
    at_once=Patience(1.0, 0.8, 0.0),
    in_turn=Patience(1.0, 0.8, 0.0),
    look=Patience(1.0, 0.8, 0.0),
)
"""As published, but sooner: a wallet on the same machine is fast or silent."""
ONE_TRY: Final = QUICK._replace(command=QUICK.in_turn)
"""What is not known at once is left to the job."""
TRIES: Final = 5
DUE_NOW: Final = "UPDATE transfer SET next_try_at = now() WHERE next_try_at IS NOT NULL"


class Log:
    """A log that a test reads."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.logger: FilteringBoundLogger = structlog.wrap_logger(
            structlog.BytesLogger(io.BytesIO()), processors=[self._take]
        )

    def events(self) -> list[str]:
        return [line["event"] for line in self.lines]

    def _take(self, _: object, level: str, event: Any) -> bytes:  # noqa: ANN401 - structlog's
        self.lines.append({**event, "level": level})
        return b""


def house_of(database: Database, rig: Rig, log: Log, times: Times) -> House:
    """Put a service together on a casino's database."""
    ring = KeyRing.from_text(RING, "test")
    calls = Calls(OperatorKeys(database, ring), log.logger, times)
    wallets = Wallets(database, calls)
    parts = (database, Catalog(database), wallets, ring, rig, Meters(database))
    return House(*parts)


def wish_of(player: str, table: str, bonus: int, *wagers: int) -> Wish:
    """Return what a player wants dealt: a wager on box 1, 2, ..."""
    bets = enumerate(wagers, 1)
    boxes = tuple(BoxWager(box, player, wager, bonus) for box, wager in bets)
    return Wish(table, "USD", boxes, raise_to_minimum=False)


class Casino:
    """The service's parts on one database, with one operator and his wallet."""

    def __init__(
        self,
        dsn: str,
        wallet: WalletProcess,
        times: Times = PUBLISHED,
        rig: Rig | None = None,
    ) -> None:
        self.dsn: Final = dsn
        self.wallet: Final = wallet
        self.rig: Final = rig or Rig()
        self.log: Final = Log()
        self._stack = ExitStack()
        self._prepare()
        self.database = Database(dsn)
        self._stack.callback(self.database.close)
        self.house = house_of(self.database, self.rig, self.log, times)
        self.wallets, self.play = self.house.wallets, Play(self.house)
        self.job = WalletCalls(self.database, self.wallets, self.play, self.log.logger)

    def player(self, funds: int = FUNDS, **more: Any) -> "Guest":  # noqa: ANN401 - as WalletProcess.put
        """Give a player of this casino with money in the wallet."""
        name = f"p-{new_id()}"
        self.wallet.put(name, funds, **more)
        return Guest(self, name, new_id())

    def work(self) -> None:
        """Let the jobs do everything that waits, due or not."""
        before = -1
        while (left := len(self.waiting())) and left != before:
            before = left
            self.owner(DUE_NOW)
            assert run_once([self.job], self.log.logger, lambda _: None)

    def waiting(self) -> list[tuple[Any, ...]]:
        """Return the kinds of the transfers that are not finished."""
        return self.owner(
            "SELECT kind FROM transfer WHERE status = 'requested' ORDER BY kind"
        )

    def transfers(self) -> list[tuple[str, str]]:
        """Return kind and status of all transfers."""
        found = self.owner("SELECT kind, status FROM transfer ORDER BY made_at, kind")
        return [(kind, status) for kind, status in found]

    def owner(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement as the database's owner."""
        with psycopg.connect(self.dsn) as db:
            cursor = db.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def check(self) -> None:
        """See that the law holds, once the jobs have done their work."""
        self.wallet.rest()
        self.work()
        faults = faults_of(self.dsn, self.wallet.dsn)
        assert not faults, faults
        moved = self.wallet.rows(
            "SELECT player_id, sum(moved) AS moved FROM transaction "
            "GROUP BY player_id HAVING sum(moved) <> 0"
        )
        until(lambda: self.told() == dict(moved), "the feed adds up to the wallet")

    def told(self) -> dict[str, int]:
        """Return what the operator's feed says that each player's wallet gained."""
        sums: Counter[str] = Counter()
        place = BEGINNING
        while page := movements(self.database, OPERATOR, "real", place, 100):
            for one in page:
                sums[one.player] += one.moved or 0
            place = page[-1].place
        return {player: moved for player, moved in sums.items() if moved}

    def close(self) -> None:
        self._stack.close()

    def _prepare(self) -> None:
        owner = Database(self.dsn, role=None)
        self._stack.callback(owner.close)
        for source, text in shipped_tables():
            rules = parse_table(text, source)
            save_table_version(owner, rules.table_id, rules.version, text)
        for source, text in shipped_jackpots():
            jackpot = parse_jackpot(text, source)
            named = (jackpot.jackpot_id, jackpot.version)
            save_jackpot_version(owner, *named, text)
        add_operator(
            owner, OperatorRow(OPERATOR, "seamless", self.wallet.url, sandbox=False)
        )
        ring = KeyRing.from_text(RING, "test")
        key, _ = new_key(ring, OPERATOR, "wallet")
        sealed = ring.seal_secret(SECRET.encode(), OPERATOR, key.key_id)
        add_key(owner, OperatorKey(OPERATOR, key.key_id, "wallet", sealed))


class Guest(NamedTuple):
    """A player of the casino, and what he may send."""

    casino: Casino
    name: str
    account: str

    def ask(self, key: str | None = None, what: object = None) -> Ask:
        """Ask under a key; `what` is asked, a repeat of it has the same digest."""
        digest = hashlib.sha256(orjson.dumps(what)).digest()
        who = (self.account, self.name, key or new_id(), digest)
        return Ask(*who, "USD", OPERATOR, "real", None)

    def deal(
        self,
        *wagers: int,
        table: str = "classic-three",
        key: str | None = None,
        bonus: int = 0,
    ) -> Answer:
        wish = wish_of(self.name, table, bonus, *(wagers or (1_000,)))
        return self.casino.play.deal(self.ask(key, [table, bonus, wagers]), wish)

    def act(self, on: Answer, action: Action, key: str | None = None) -> Answer:
        hand = on.round.active_hand
        assert hand is not None, "a hand is to be played"
        what = [on.round_id, hand.name, action]
        place = (on.round_id, on.version, hand.name, action)
        return self.casino.play.act(self.ask(key, what), *place)

    def insure(self, on: Answer, *boxes: int, key: str | None = None) -> Answer:
        ask = self.ask(key, [on.round_id, boxes])
        return self.casino.play.insure(ask, on.round_id, on.version, boxes)

    def settle(self, on: Answer, key: str | None = None) -> Answer:
        ask = self.ask(key, [on.round_id, "settle"])
        return self.casino.play.settle(ask, on.round_id, on.version)

    def surely(self, command: Callable[[], Answer]) -> Answer:
        """Send a command until its answer is known, as a client does."""
        for _ in range(TRIES):
            try:
                return command()
            except WalletWaits:
                self.casino.wallet.arm(next=[])
        raise AssertionError("the wallet's answer stays unknown")

    def finish(self, on: Answer) -> Answer:
        """Play a round to its end, without new money."""
        while on.round.closed_at is None:
            match on.round.status:
                case "insurance":
                    on = self.insure(on)
                case "playing":
                    on = self.act(on, "stand")
                case _:
                    on = self.settle(on)
        return on

    def has(self) -> int:
        """Return what is in the wallet."""
        return self.casino.wallet.has(self.name)
