"""The example wallet with something wrong: `python -m tests.wallet.broken NAME ...`.

Several names with a plus between them are wrong together.
"""

import hashlib
import json
import sys
import threading
import uuid
from collections import Counter
from collections.abc import Sequence
from types import ModuleType
from typing import Final

import psycopg

from examples.operator_wallet import __main__ as wallet
from examples.operator_wallet import app, book
from examples.operator_wallet.book import OK, Answer, Book, Call

_FORGET = "DELETE FROM transaction WHERE transaction_id = %s"


class Forgetful(Book):
    """Does every call again, as if it had never seen its id."""

    def make(self, call: Call) -> Answer:
        _run(self, _FORGET, call)
        return super().make(call)


class Trusting(Book):
    """Never looks at what an id was sent with before."""

    def make(self, call: Call) -> Answer:
        taken = "UPDATE transaction SET content = NULL WHERE transaction_id = %s"
        _run(self, f"{taken} AND status = 200", call)
        answer = super().make(call)
        if answer.body.get("code") != "transaction_conflict":
            return answer
        balance = super().balance(call).body["balance"]
        return Answer(OK, {**call, "balance": balance})


class Traceless(Book):
    """Says yes to the rollback of a debit that never came, and forgets it."""

    def make(self, call: Call) -> Answer:
        if call["kind"] == "rollback" and not _knows(self, call["debit_id"]):
            return super().balance(call)
        return super().make(call)


class Generous(Book):
    """Pays every refund as if it were a win."""

    def make(self, call: Call) -> Answer:
        if call["kind"] == "refund":
            plain = {**call, "kind": "credit"}
            return super().make({k: v for k, v in plain.items() if k != "debit_id"})
        return super().make(call)


class Hasty(Book):
    """States the balance from before the call."""

    def make(self, call: Call) -> Answer:
        before = super().balance(call)
        answer = super().make(call)
        return before if (answer.status, before.status) == (OK, OK) else answer


class Foreign(Book):
    """States every balance in another currency."""

    def balance(self, call: Call) -> Answer:
        answer = super().balance(call)
        stated = {**answer.body["balance"], "currency": "USD"}
        return Answer(OK, {**answer.body, "balance": stated})


class Moody(Book):
    """Thinks again about what it has refused."""

    def make(self, call: Call) -> Answer:
        refused = "status <> 200 AND NOT rolled_back"
        _run(self, f"{_FORGET} AND {refused}", call)
        return super().make(call)


class Lavish(Book):
    """Rolls all of a debit back, whatever refunds have given of it before."""

    def make(self, call: Call) -> Answer:
        if call["kind"] == "rollback":
            whole = "taken = amount WHERE status = 200 AND NOT rolled_back"
            _debit(self, whole, call)
        return super().make(call)


class Obliging(Book):
    """Refunds a debit that was refused."""

    def make(self, call: Call) -> Answer:
        if call["kind"] == "refund":
            _debit(self, "taken = amount, status = 200 WHERE status = 402", call)
        return super().make(call)


class Unmindful(Book):
    """Refunds a debit that was rolled back."""

    def make(self, call: Call) -> Answer:
        if call["kind"] == "refund":
            forgotten = "taken = amount, rolled_back = false WHERE status = 200"
            _debit(self, f"{forgotten} AND rolled_back", call)
        return super().make(call)


class Grateful(Book):
    """Rolls a debit back that was refused."""

    def make(self, call: Call) -> Answer:
        if call["kind"] == "rollback":
            _debit(self, "taken = amount WHERE status = 402", call)
        return super().make(call)


class Strict(Book):
    """Refuses what comes for a player whom it does not know, a rollback, too."""

    def make(self, call: Call) -> Answer:
        asked = super().balance(call)
        if call["kind"] == "rollback" and asked.status != OK:
            return asked
        return super().make(call)


def _to_anybody(kind: str) -> type[Book]:
    """Give a debit back to whoever is named, by calls of a kind."""

    class ToAnybody(Book):
        def make(self, call: Call) -> Answer:
            if call["kind"] == kind:
                known = super().balance(call).status == OK
                theirs = f"player_id = '{call['player_id']}' WHERE {known}"
                _debit(self, theirs, call)
            return super().make(call)

    return ToAnybody


class Current(Book):
    """States the balance of now, in a repeat, too."""

    def make(self, call: Call) -> Answer:
        answer = super().make(call)
        now = super().balance(call)
        return now if (answer.status, now.status) == (OK, OK) else answer


def _racing(kind: str) -> type[Book]:
    """Pay what comes while the same one is under way again, of a kind."""

    class Racing(Book):
        def __init__(self, dsn: str) -> None:
            super().__init__(dsn)
            self._under_way: Counter[str] = Counter()
            self._lock = threading.Lock()

        def make(self, call: Call) -> Answer:
            if call["kind"] != kind:
                return super().make(call)
            id_ = call["transaction_id"]
            with self._lock:
                beside = self._under_way[id_]
                self._under_way[id_] += 1
            try:
                if beside:
                    again = {**call, "kind": "credit"}
                    again["transaction_id"] = str(uuid.uuid4())
                    again.pop("debit_id", None)
                    Book.make(self, again)
                return super().make(call)
            finally:
                with self._lock:
                    self._under_way[id_] -= 1

    return Racing


def _debit(of: Book, change: str, call: Call) -> None:
    """Change the debit that a call names."""
    statement = f"UPDATE transaction SET {change} AND transaction_id = %s"  # noqa: S608 - words of ours
    with psycopg.connect(of.dsn) as db:
        db.execute(statement.encode(), (call["debit_id"],))


def _run(of: Book, statement: str, call: Call) -> None:
    with psycopg.connect(of.dsn) as db:
        db.execute(statement.encode(), (call["transaction_id"],))


def _knows(of: Book, debit: str) -> bool:
    query = "SELECT 1 FROM transaction WHERE transaction_id = %s"
    with psycopg.connect(of.dsn) as db:
        return db.execute(query, (debit,)).fetchone() is not None


def _by_path(call: Call, kind: str) -> None:
    """Go by the path, which nobody signed."""
    call["kind"] = kind


def _literal(call: Call) -> bytes:
    """Tell calls apart by how they are written."""
    return hashlib.sha256(json.dumps(call).encode()).digest()


BOOKS: Final[dict[str, type[Book]]] = {
    "forgetful": Forgetful,
    "trusting": Trusting,
    "traceless": Traceless,
    "generous": Generous,
    "hasty": Hasty,
    "foreign": Foreign,
    "moody": Moody,
    "lavish": Lavish,
    "obliging": Obliging,
    "unmindful": Unmindful,
    "grateful": Grateful,
    "strict": Strict,
    "refunds-to-anybody": _to_anybody("refund"),
    "rollbacks-to-anybody": _to_anybody("rollback"),
    "current": Current,
    "racing-credits": _racing("credit"),
    "racing-refunds": _racing("refund"),
    "racing-rollbacks": _racing("rollback"),
}
PARTS: Final[dict[str, tuple[ModuleType, str, object]]] = {
    "open": (app, "_check_signature", lambda *_: None),
    "patient": (app, "LEEWAY_SECONDS", 3_600),
    "unchecked": (app, "_check", _by_path),
    "literal": (book, "_digest", _literal),
    "stubborn": (book, "KEEP", app.KINDS),
}
BLIND: Final = {
    "kinds": ("kind", "purpose", "lines"),
    "rounds": ("round_id",),
    "currencies": ("currency",),
    "players": ("player_id",),
}
"""What a wallet does not look at when it takes a call for a repeat."""


def _break(names: Sequence[str]) -> None:
    """Put everything wrong into the wallet that is named."""
    books = tuple(BOOKS[name] for name in names if name in BOOKS)
    blind = {key for name in names for key in BLIND.get(name, ())}
    parts = [PARTS[name] for name in names if name in PARTS]
    parts.append((wallet, "Book", type("Broken", books or (Book,), {})))
    seen = tuple(key for key in book.CONTENT if key not in blind)
    for part in (*parts, (book, "CONTENT", seen)):
        setattr(*part)


if __name__ == "__main__":
    _break(sys.argv.pop(1).split("+"))
    wallet.main()
