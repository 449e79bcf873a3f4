"""The book: what players have, and every call that moved it, each id once.

All of a call is one transaction of the database: its row with its id comes first, so
that a repeat waits for the first one and then finds its answer. Locks are taken in one
order: the call's id, the debit's, the player.
"""

import hashlib
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import psycopg
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import Jsonb

Call = dict[str, Any]
Connection = psycopg.Connection[DictRow]
SCHEMA: Final = Path(__file__).with_name("schema.sql")
OK: Final = 200

CONTENT: Final = (
    *("kind", "round_id", "table_id", "player_id", "session_id", "currency"),
    *("amount", "purpose", "lines", "debit_id"),
)
"""What makes a call a repeat: the values of these, however they are written."""
KEEP: Final = ("debit", "correction")
"""The kinds whose refusals are kept; the others are owed, and looked at anew."""
_NOBODY: Final[dict[str, Any]] = {"cash": 0, "bonus": 0}

_BEGIN: Final = """
INSERT INTO transaction
    (transaction_id, kind, content, player_id, currency, round_id, debit_id, amount)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (transaction_id) DO NOTHING
"""
_FORGET: Final = "DELETE FROM transaction WHERE transaction_id = %s"
_TOMBSTONE: Final = """
INSERT INTO transaction
    (transaction_id, kind, player_id, currency, round_id, amount, rolled_back)
VALUES (%s, 'debit', %s, %s, %s, 0, true) ON CONFLICT (transaction_id) DO NOTHING
"""
_FIND: Final = "SELECT * FROM transaction WHERE transaction_id = %s FOR UPDATE"
_PLAYER: Final = """
SELECT cash, bonus, refuses FROM player WHERE player_id = %s AND currency = %s
FOR UPDATE
"""
_KNOWN: Final = "SELECT 1 AS known FROM player WHERE player_id = %s"
_MOVE: Final = """
UPDATE player SET cash = cash + %s, bonus = bonus + %s
WHERE player_id = %s AND currency = %s RETURNING cash, bonus
"""
_END: Final = """
UPDATE transaction SET status = %s, answer = %s, moved = %s, taken = %s,
    taken_bonus = %s
WHERE transaction_id = %s
"""
_GIVE_BACK: Final = """
UPDATE transaction SET taken = taken - %s, taken_bonus = taken_bonus - %s,
    rolled_back = %s
WHERE transaction_id = %s
"""
_PUT: Final = """
INSERT INTO player (player_id, currency, cash, bonus, refuses)
VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (player_id, currency) DO UPDATE
SET cash = excluded.cash, bonus = excluded.bonus, refuses = excluded.refuses
"""


class Answer(NamedTuple):
    """An HTTP status and a JSON body."""

    status: int
    body: dict[str, Any]


class Refusal(Exception):
    """The wallet refuses, and moves nothing."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail


class Moved(NamedTuple):
    """What a player gains by a call, of cash and of bonus money."""

    cash: int
    bonus: int


class Player(NamedTuple):
    """What somebody has; `refuses` is the code that his debits get."""

    player_id: str
    currency: str
    cash: int
    bonus: int = 0
    refuses: str | None = None


class Book:
    """Makes each call once. Safe for several threads, each with a connection."""

    def __init__(self, dsn: str) -> None:
        self.dsn: Final = dsn
        self._thread = threading.local()

    def prepare(self) -> None:
        """Make the tables that are missing."""
        with psycopg.connect(self.dsn) as db:
            db.execute(SCHEMA.read_bytes())

    def put_player(self, player: Player) -> None:
        """Give a player these funds, in place of what he has."""
        with psycopg.connect(self.dsn) as db:
            db.execute(_PUT, player)

    def balance(self, call: Call) -> Answer:
        """Say what a player has."""
        try:
            player = _player(self._connection(), call)
        except Refusal as refusal:
            return refused(call, refusal)
        return Answer(OK, _done(call, player))

    def make(self, call: Call) -> Answer:
        """Make a call, or answer as it was answered before."""
        db = self._connection()
        with db.transaction():
            begin = (call["transaction_id"], call["kind"], _digest(call))
            whose = (call["player_id"], call["currency"], call["round_id"])
            values = (*begin, *whose, call.get("debit_id"), call["amount"])
            if db.execute(_BEGIN, values).rowcount == 0:
                return _repeated(db, call)
            try:
                with db.transaction():  # a savepoint: a refusal keeps but its answer
                    answer, moved = _made(db, call)
            except Refusal as refusal:
                answer, moved = refused(call, refusal), Moved(0, 0)
                if call["kind"] not in KEEP:
                    db.execute(_FORGET, (call["transaction_id"],))
                    return answer
            gain = moved.cash + moved.bonus
            taken = -gain if call["kind"] == "debit" else 0
            bonus = -moved.bonus if call["kind"] == "debit" else 0
            ended = (answer.status, Jsonb(answer.body), gain, taken, bonus)
            db.execute(_END, (*ended, call["transaction_id"]))
        return answer

    def _connection(self) -> Connection:
        db: Connection | None = getattr(self._thread, "db", None)
        if db is None or db.closed:
            db = psycopg.connect(self.dsn, autocommit=True, row_factory=dict_row)
            self._thread.db = db
        return db


def refused(call: Call, refusal: Refusal) -> Answer:
    """Return the answer of a refusal: a problem that names the transaction."""
    body: dict[str, Any] = {
        "type": f"https://example.com/problems/{refusal.code}",
        "title": "The wallet refuses",
        "status": refusal.status,
        "detail": refusal.detail,
        "code": refusal.code,
    }
    if "transaction_id" in call:
        body["transaction_id"] = call["transaction_id"]
    return Answer(refusal.status, body)


def _made(db: Connection, call: Call) -> tuple[Answer, Moved]:
    debit = _debit_of(db, call) if "debit_id" in call else {}
    try:
        player = _player(db, call)
    except Refusal:
        if call["kind"] != "rollback" or debit["taken"]:
            raise
        player = _NOBODY  # nothing is to be given back, and that is done
    moved = _MAKERS[call["kind"]](call, player, debit)
    if debit:
        back = (moved.cash + moved.bonus, moved.bonus, call["kind"] == "rollback")
        db.execute(_GIVE_BACK, (*back, call["debit_id"]))
    whose = (call["player_id"], call["currency"])
    after = db.execute(_MOVE, (*moved, *whose)).fetchone() or player
    return Answer(OK, _done(call, after)), moved


def _debit(call: Call, player: DictRow, _: DictRow) -> Moved:
    if player["refuses"] is not None:
        raise Refusal(403, player["refuses"], "The player may not stake now.")
    return _pay(call["amount"], player)


def _credit(call: Call, _: DictRow, __: DictRow) -> Moved:
    return Moved(call["amount"], 0)


def _rollback(_: Call, __: DictRow, debit: DictRow) -> Moved:
    """Give back what of the debit is still taken: nothing of one that never came."""
    return Moved(debit["taken"] - debit["taken_bonus"], debit["taken_bonus"])


def _refund(call: Call, _: DictRow, debit: DictRow) -> Moved:
    if debit["rolled_back"]:
        raise Refusal(409, "transaction_rolled_back", "The debit was rolled back.")
    if debit["status"] != OK:
        raise Refusal(404, "debit_unknown", "The debit was refused.")
    if call["amount"] > debit["taken"]:
        raise Refusal(409, "refund_too_large", "More than is left of the debit.")
    bonus = min(debit["taken_bonus"], call["amount"])
    return Moved(call["amount"] - bonus, bonus)


def _correction(call: Call, player: DictRow, _: DictRow) -> Moved:
    amount = call["amount"]
    return Moved(amount, 0) if amount > 0 else _pay(-amount, player)


def _end(_: Call, __: DictRow, ___: DictRow) -> Moved:
    return Moved(0, 0)


_MAKERS: Final[dict[str, Callable[[Call, DictRow, DictRow], Moved]]] = {
    "debit": _debit,
    "credit": _credit,
    "rollback": _rollback,
    "refund": _refund,
    "correction": _correction,
    "end": _end,
}


def _pay(amount: int, player: DictRow) -> Moved:
    """Take cash first, then bonus money."""
    if player["cash"] + player["bonus"] < amount:
        raise Refusal(402, "insufficient_funds", "The player has too little.")
    cash = min(player["cash"], amount)
    return Moved(-cash, cash - amount)


def _debit_of(db: Connection, call: Call) -> DictRow:
    """Lock the debit; a rollback of one that never came leaves a tombstone."""
    if call["kind"] == "rollback":
        whose = (call["player_id"], call["currency"], call["round_id"])
        db.execute(_TOMBSTONE, (call["debit_id"], *whose))
    debit = db.execute(_FIND, (call["debit_id"],)).fetchone()
    if debit is None or debit["kind"] != "debit":
        raise Refusal(404, "debit_unknown", "There is no such debit.")
    if any(debit[name] != call[name] for name in ("player_id", "currency")):
        raise Refusal(409, "transaction_conflict", "The debit is another player's.")
    return debit


def _player(db: Connection, call: Call) -> DictRow:
    whose = (call["player_id"], call["currency"])
    player = db.execute(_PLAYER, whose).fetchone()
    if player is not None:
        return player
    if db.execute(_KNOWN, whose[:1]).fetchone():
        raise Refusal(422, "currency_refused", "The player has no such currency.")
    raise Refusal(404, "player_unknown", "There is no such player.")


def _repeated(db: Connection, call: Call) -> Answer:
    found = db.execute(_FIND, (call["transaction_id"],)).fetchone()
    assert found is not None, "a row that was in the way is there"
    if found["rolled_back"]:
        late = "The debit was rolled back before."
        return refused(call, Refusal(409, "transaction_rolled_back", late))
    if found["content"] != _digest(call):
        other = "The id was sent before, with other content."
        return refused(call, Refusal(409, "transaction_conflict", other))
    return Answer(found["status"], found["answer"])


def _digest(call: Call) -> bytes:
    content = [call.get(name) for name in CONTENT]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()


def _done(call: Call, player: DictRow) -> dict[str, Any]:
    cash, bonus = player["cash"], player["bonus"]
    balance = {"amount": cash + bonus, "cash": cash, "bonus": bonus}
    return {
        "transaction_id": call["transaction_id"],
        "balance": {"currency": call["currency"], **balance},
    }
