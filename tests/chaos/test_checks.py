"""The checks of `make chaos` are content with right books, and each with no others."""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.chaos.balances import CHECKS as BALANCE_CHECKS
from tests.chaos.books import Books, Call, Done, Line, Row
from tests.chaos.checks import CHECKS, account_of, chain_hash
from tests.chaos.plan import Traits, plan_of
from tests.chaos.story import story_of
from tests.chaos.witness import Answered, Ended, Receipt, Witness

DEALT: Final[list[dict[str, Any]]] = [
    {"type": "round_opened/1", "boxes": [{"wager": 400, "bonus_wager": 100}]},
    {"type": "card_dealt/1", "hand": "1a", "card": "AS"},
]
PAID: Final[list[dict[str, Any]]] = [{"type": "round_settled/1", "payout": 800}]
PLAYERS: Final = {"lea": "house", "sam": "palace"}


def right() -> tuple[Books, list[Witness]]:
    """Give the books of two players who brought 1,000, staked 500 and won 800."""
    books = Books([], [], [], [], [], [], [])
    witnesses = []
    for name, operator in PLAYERS.items():
        witness = Witness(name, Traits(operator, "USD", (), 1_000))
        witness.receipts.append(Receipt("in", 1_000, 1_000))
        witness.rounds[f"r-{name}"] = Ended(500, 800)
        witness.funds = 1_300
        _log(books, witness)
        witnesses.append(witness)
    _ledger(books, None, 1_000, 1_000)
    _ledger(books, 1, -500, 500)
    _ledger(books, 2, 800, 1_300)
    books.balances.append(("a-lea", "USD", 1_300))
    _wallet(books, "debit", 1, -500, 500)
    _wallet(books, "credit", 2, 800, 1_300)
    _wallet(books, "end", 2, 0, 1_300)
    books.purses.append(("sam", "USD", 1_300))
    return books, witnesses


def _log(books: Books, witness: Witness) -> None:
    before = bytes(32)
    for ver, (events, balance) in enumerate(((DEALT, 500), (PAID, 1_300)), 1):
        data = json.dumps({"events": events})
        where = (f"a-{witness.name}", f"r-{witness.name}", ver, witness.name)
        row = Row(*where, f"key-{ver}", b"asked", b"", 7, data)
        row = row._replace(hash=chain_hash(before, row))
        before = row.hash
        books.log.append(row)
        told = (row.key, row.round_id, ver, story_of(events).text, balance)
        witness.answers.append(Answered(*told))


def _ledger(books: Books, ver: int | None, gain: int, balance: int) -> None:
    cash = ver is None
    where = (f"entry {ver}", "house", "lea", "deposit", None if cash else "r-lea", ver)
    more = ("in" if cash else None, "USD")
    books.lines.append(Line(*where, *more, "player", gain, balance))
    books.lines.append(Line(*where, *more, "operator" if cash else "held", -gain, None))


def _wallet(books: Books, kind: str, ver: int, gain: int, balance: int) -> None:
    amount = abs(gain)
    call = (kind, "sam", kind, "r-sam", ver, "USD", amount, None, "confirmed")
    books.calls.append(Call(*call))
    taken = amount if kind == "debit" else 0
    about = (kind, kind, "sam", "USD", "r-sam", None, amount, gain, taken)
    books.book.append(Done(*about, rolled_back=False, status=200, balance=balance))


def complaints(books: Books, witnesses: list[Witness]) -> list[str]:
    account = account_of(books, witnesses)
    return [
        said for check in (*CHECKS, *BALANCE_CHECKS) for said in check(account) if said
    ]


def test_right_books_are_right() -> None:
    assert complaints(*right()) == []


def put(rows: list[Any], place: int, **changed: Any) -> None:  # noqa: ANN401 - fields
    rows[place] = rows[place]._replace(**changed)


PLANTED: Final[dict[str, Callable[[Books, list[Witness]], object]]] = {
    "no definite answer": lambda _, w: w[0].faults.append("no answer"),
    "answered and not logged": lambda b, _: b.log.pop(),
    "logged and not answered": lambda _, w: w[0].answers.pop(),
    "answered otherwise": lambda _, w: put(w[0].answers, 0, text="other cards"),
    "refused and logged": lambda _, w: w[0].refused.add(w[0].answers.pop().key),
    "a key twice": lambda b, _: b.log.append(b.log[0]),
    "a row changed": lambda b, _: put(b.log, 3, at=8),
    "a row missing": lambda b, _: b.log.pop(0),
    "a round without end": lambda b, _: b.open_rounds.append("r-lea"),
    "a call that waits": lambda b, _: put(b.calls, 1, status="requested"),
    "an entry unbalanced": lambda b, _: b.lines.pop(),
    "an entry twice": lambda b, _: b.lines.extend(b.lines[2:4]),
    "an entry missing": lambda b, _: b.lines.__delitem__(slice(2, 4)),
    "a deposit missing": lambda _, w: w[0].receipts.clear(),
    "a debit missing": lambda b, _: b.book.pop(0),
    "a debit twice": lambda b, _: b.book.append(b.book[0]._replace(call_id="more")),
    "a credit missing": lambda b, _: b.book.pop(1),
    "a credit too high": lambda b, _: put(b.book, 1, amount=900),
    "a debit undone": lambda b, _: put(b.book, 0, rolled_back=True),
    "a debit kept": lambda b, _: put(b.calls, 0, status="rolled_back"),
    "a strange status": lambda b, _: b.book.append(
        b.book[2]._replace(call_id="odd", status=409)
    ),
    "money made": lambda b, _: put(b.book, 1, moved=900),
    "a balance too high": lambda b, _: b.balances.__setitem__(
        0, ("a-lea", "USD", 1_400)
    ),
    "a purse too high": lambda b, _: b.purses.__setitem__(0, ("sam", "USD", 1_400)),
    "a balance shown wrong": lambda _, w: put(w[0].answers, 0, balance=600),
    "a balance not shown": lambda _, w: put(w[0].answers, 0, balance=None),
    "a balance of the wallet wrong": lambda _, w: put(w[1].answers, 0, balance=600),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_fault_is_found(name: str) -> None:
    books, witnesses = right()
    PLANTED[name](books, witnesses)
    assert complaints(books, witnesses)


def test_a_plan_is_its_seeds() -> None:
    assert plan_of(1, quick=False) == plan_of(1, quick=False)
    assert plan_of(1, quick=True).blows != plan_of(2, quick=True).blows
    places = [blow.at for blow in plan_of(1, quick=False).blows]
    assert places == sorted(places)
    assert places[-1] < 5_000
