"""Rounds by the million in a database: patterns with their holes filled, by COPY.

Every round is as valid as one that was played: the chain of hashes is computed, the
shoe sealed, the money is on the ledger, the balances follow from each other.
"""

import datetime as dt
import itertools
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

import psycopg

from service.api.tokens import account_of
from service.sealing import KeyRing
from service.store.chain import GENESIS, chain_hash
from service.store.ledger import Line
from service.store.rows import LogRow, RoundRow
from tests.bench.patterns import BEGUN, CURRENCY, OPERATOR, Pattern, Step

BATCH: Final = 5_000
"""Rounds of one transaction."""
HEAVY: Final = "heavy"
"""The player of every tenth round."""
_OTHERS: Final = 2_000
_DEPOSIT: Final = 10_000_000_000
_REQUEST: Final = f"\\\\x{bytes(32).hex()}"
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_COLUMNS: Final = {
    "log": "account, round, ver, player, at, key, req, data, hash",
    "ledger": "account, entry, line, operator, player, mode, purpose, round, ver, "
    "reference, currency, side, amount, balance, at",
    "shoe": "account, shoe, key_id, nonce, sealed, commitment",
    "round": ", ".join({"round_id": "round"}.get(f, f) for f in RoundRow._fields),
}
_BALANCES: Final = """
INSERT INTO balance (account, currency, amount) SELECT account, %s, amount
FROM unnest(%s::uuid[], %s::bigint[]) AS new (account, amount)
ON CONFLICT (account, currency) DO UPDATE SET amount = excluded.amount
"""


class Player(NamedTuple):
    """Who plays, and what his account is."""

    name: str
    account: str

    @classmethod
    def of(cls, name: str) -> "Player":
        return cls(name, account_of(OPERATOR, name, "real"))


class Cause(NamedTuple):
    """What an entry of the ledger is for."""

    purpose: str
    round_id: str | None
    ver: int | None
    reference: str | None
    at: int


class Lines:
    """Lines for COPY, a list a table."""

    def __init__(self) -> None:
        self.of: Final[dict[str, list[str]]] = {table: [] for table in _COLUMNS}

    def add(self, table: str, values: Iterable[object]) -> None:
        """Add a row; None is NULL. No text has what COPY would have to escape."""
        texts = ("\\N" if value is None else str(value) for value in values)
        self.of[table].append("\t".join(texts))

    def copy(self, db: psycopg.Connection) -> None:
        """Store the rows."""
        for table, lines in self.of.items():
            statement = f"COPY {table} ({_COLUMNS[table]}) FROM STDIN"
            with db.cursor() as cursor, cursor.copy(statement.encode()) as copy:
                copy.write("\n".join([*lines, ""]))


class Grown:
    """A database that rounds are added to, from a first day on."""

    def __init__(self, dsn: str, ring: KeyRing) -> None:
        self._dsn = dsn
        self._ring = ring
        with psycopg.connect(dsn) as db:
            found = db.execute("SELECT account::text, amount FROM balance").fetchall()
        self._balances: Final[dict[str, int]] = dict(found)
        self._players = [Player.of(HEAVY)]
        self._players += [Player.of(f"player-{n}") for n in range(_OTHERS)]

    def grow(
        self,
        patterns: list[Pattern],
        span: range,
        time_of: Callable[[int], int],
        note: Callable[[int], None],
    ) -> None:
        """Add the rounds of these numbers; tell how many there are, batch by batch."""
        for first in range(span.start, span.stop, BATCH):
            random = Random(first)  # noqa: S311 - rounds to measure
            numbers = range(first, min(first + BATCH, span.stop))
            chosen = (
                (number, self._player(number, random), random.choice(patterns))
                for number in numbers
            )
            self._store(chosen, time_of, random)
            note(numbers.stop)

    def leave(self, patterns: list[Pattern], name: str, count: int, at: int) -> None:
        """Add rounds that were left open at a time, each by a player of its own."""
        random = Random(name)  # noqa: S311 - rounds to measure
        chosen = (
            (number, Player.of(f"{name}-{number}"), patterns[number % len(patterns)])
            for number in range(count)
        )
        self._store(chosen, lambda number: at + number, random)

    def _player(self, number: int, random: Random) -> Player:
        return self._players[0] if number % 10 == 0 else random.choice(self._players)

    def _store(
        self,
        chosen: Iterable[tuple[int, Player, Pattern]],
        time_of: Callable[[int], int],
        random: Random,
    ) -> None:
        lines, touched = Lines(), set()
        for number, player, pattern in chosen:
            self._add(lines, player, pattern, time_of(number), random)
            touched.add(player.account)
        accounts = sorted(touched)
        with psycopg.connect(self._dsn) as db:
            db.execute("SET synchronous_commit = off")
            lines.copy(db)
            amounts = [self._balances[account] for account in accounts]
            db.execute(_BALANCES, (CURRENCY, accounts, amounts))

    def _add(
        self, lines: Lines, player: Player, pattern: Pattern, at: int, random: Random
    ) -> None:
        account = player.account
        if account not in self._balances:
            self._deposit(lines, player, at, random)
        round_id = id_at(at, random)
        previous = GENESIS
        for ver, step in enumerate(pattern.steps, 1):
            then = at + step.after
            self._balances[account] += step.gain
            row = LogRow(
                *(account, round_id, ver, player.name, then),
                f"key-{round_id}-{ver}",
                bytes(32),
                self._data(step, player, round_id, at),
                b"",
            )
            previous = chain_hash(previous, row)
            where = (account, round_id, ver, player.name, stamp(then), row.key)
            data = row.data.decode()
            lines.add("log", (*where, _REQUEST, data, f"\\\\x{previous.hex()}"))
            if step.purpose is not None:
                cause = Cause(step.purpose, round_id, ver, None, then)
                self._entry(lines, player, cause, step.lines, random)
        self._shoe(lines, account, round_id, pattern)
        lines.add("round", _projected(pattern, player, round_id, at))

    def _data(self, step: Step, player: Player, round_id: str, at: int) -> bytes:
        known: Mapping[str | int, bytes] = {
            "id": round_id.encode(),
            "player": player.name.encode(),
            "balance": b"%d" % self._balances[player.account],
        }
        return step.text % tuple(
            b"%d" % (at + hole) if isinstance(hole, int) else known[hole]
            for hole in step.holes
        )

    def _deposit(self, lines: Lines, player: Player, at: int, random: Random) -> None:
        self._balances[player.account] = _DEPOSIT
        cause = Cause("deposit", None, None, f"cash-{player.name}", at)
        sides = (Line("player", _DEPOSIT), Line("operator", -_DEPOSIT))
        self._entry(lines, player, cause, sides, random)

    def _entry(
        self,
        lines: Lines,
        player: Player,
        cause: Cause,
        sides: Sequence[Line],
        random: Random,
    ) -> None:
        *why, at = cause
        entry = id_at(at, random)
        whose = (OPERATOR, player.name, "real", *why, CURRENCY)
        for number, (side, amount) in enumerate(sides, 1):
            balance = self._balances[player.account] if side == "player" else None
            money = (side, amount, balance, stamp(at))
            lines.add("ledger", (player.account, entry, number, *whose, *money))

    def _shoe(
        self, lines: Lines, account: str, round_id: str, pattern: Pattern
    ) -> None:
        key_id, nonce, sealed, commitment = self._ring.seal(
            pattern.shoe, account, round_id
        )
        seal = (key_id, f"\\\\x{nonce.hex()}", f"\\\\x{sealed.hex()}", commitment)
        lines.add("shoe", (account, round_id, *seal))


def _projected(
    pattern: Pattern, player: Player, round_id: str, at: int
) -> Iterator[object]:
    """Yield the projection's columns: whose it is, and the times from the deal on."""
    ids = {"round_id": round_id, "account": player.account}
    ids["log_account"] = player.account
    for name, value in pattern.projection._asdict().items():
        if name.endswith("_at") and value is not None:
            yield stamp(at + value - BEGUN)
        else:
            yield ids.get(name, value)


def stamp(at: int) -> str:
    """Return a time, microseconds since 1970 UTC, as PostgreSQL reads it."""
    return (_EPOCH + dt.timedelta(microseconds=at)).isoformat()


def id_at(at: int, random: Random) -> str:
    """Return a UUIDv7 of a time, microseconds since 1970 UTC.

    >>> id_at(1_700_000_000_000_000, Random(1))[:15]
    '018bcfe5-6800-7'
    """
    low = random.getrandbits(74)
    high = (at // 1000) << 16 | 0x7000 | low >> 62
    text = (struct.pack(">QQ", high, 1 << 63 | low & (1 << 62) - 1)).hex()
    places = itertools.pairwise((0, 8, 12, 16, 20, 32))
    return "-".join(text[begin:end] for begin, end in places)
