"""The example wallet with one thing wrong: `python -m tests.wallet.broken NAME ...`."""

import sys

import psycopg

from examples.operator_wallet import __main__ as wallet
from examples.operator_wallet import app
from examples.operator_wallet.book import OK, Answer, Book, Call


class Forgetful(Book):
    """Does every call again, as if it had never seen its id."""

    def make(self, call: Call) -> Answer:
        _run(self, "DELETE FROM transaction WHERE transaction_id = %s", call)
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
        return before if answer.status == OK else answer


class Foreign(Book):
    """States every balance in another currency."""

    def balance(self, call: Call) -> Answer:
        answer = super().balance(call)
        stated = {**answer.body["balance"], "currency": "USD"}
        return Answer(OK, {**answer.body, "balance": stated})


class Moody(Book):
    """Thinks again about what it has refused."""

    def make(self, call: Call) -> Answer:
        refused = "DELETE FROM transaction WHERE transaction_id = %s AND status <> 200"
        _run(self, refused, call)
        return super().make(call)


def _run(book: Book, statement: str, call: Call) -> None:
    with psycopg.connect(book.dsn) as db:
        db.execute(statement.encode(), (call["transaction_id"],))


def _knows(book: Book, debit: str) -> bool:
    query = "SELECT 1 FROM transaction WHERE transaction_id = %s"
    with psycopg.connect(book.dsn) as db:
        return db.execute(query, (debit,)).fetchone() is not None


def _by_path(call: Call, kind: str) -> None:
    """Go by the path, which nobody signed."""
    call["kind"] = kind


BROKEN = {
    "forgetful": (wallet, "Book", Forgetful),
    "trusting": (wallet, "Book", Trusting),
    "traceless": (wallet, "Book", Traceless),
    "generous": (wallet, "Book", Generous),
    "hasty": (wallet, "Book", Hasty),
    "foreign": (wallet, "Book", Foreign),
    "moody": (wallet, "Book", Moody),
    "open": (app, "_check_signature", lambda *_: None),
    "patient": (app, "LEEWAY_SECONDS", 3_600),
    "unchecked": (app, "_check", _by_path),
}


if __name__ == "__main__":
    setattr(*BROKEN[sys.argv.pop(1)])
    wallet.main()
