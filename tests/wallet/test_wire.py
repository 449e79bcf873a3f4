"""What a wallet may answer, and what is believed of it."""

from typing import Any, Final

import orjson
import pytest

from service.wallet.wire import (
    Denied,
    Done,
    Funds,
    Unknown,
    funds_said,
    outcome_of,
    said_of,
)

ID: Final = "0198c5f2-8f7a-7b3e-9d5c-2f1e6a7b8c9d"
ASKED: Final = {"kind": "debit", "transaction_id": ID, "currency": "EUR", "amount": 5}


def done(**balance: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"transaction_id": ID, "balance": {"currency": "EUR", **balance}}


def denied(code: object, **more: object) -> dict[str, object]:
    return {"transaction_id": ID, "code": code, "detail": "No.", **more}


def outcome(status: int, body: object) -> object:
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    return outcome_of(status, raw, ASKED)


@pytest.mark.parametrize(
    ("balance", "funds"),
    [
        ({"amount": 0}, Funds("EUR", 0)),
        ({"amount": 2**53 - 1}, Funds("EUR", 2**53 - 1)),
        ({"amount": 9, "cash": 9, "bonus": 0}, Funds("EUR", 9, 9, 0)),
        ({"amount": 9, "cash": 4}, Funds("EUR", 9, 4)),
        ({"amount": 9, "bonus": None}, Funds("EUR", 9)),
        ({"amount": 9, "points": 7}, Funds("EUR", 9)),
    ],
)
def test_a_yes_states_the_balance(balance: dict[str, Any], funds: Funds) -> None:
    said = outcome(200, {**done(**balance), "more": "is ignored"})
    assert said == Done(funds)
    assert funds_said(said_of(Done(funds))) == funds


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b"null", b"<html>", b"\xff", b'{"a": NaN}'),
        {},
        {"transaction_id": ID},
        {"transaction_id": ID, "balance": None},
        {"transaction_id": ID, "balance": 100},
        {**done(amount=1), "transaction_id": None},
        {**done(amount=1), "transaction_id": ID.upper()},
        {**done(amount=1), "transaction_id": "0" + ID[1:-1] + "e"},
        *(done(amount=value) for value in (-1, 2**53, 1.0, "1", None, True, [1])),
        done(),
        done(amount=1, currency="USD"),
        done(amount=1, currency=None),
        done(amount=1, cash=-1),
        done(amount=1, cash="1"),
        done(amount=1, bonus=2),
        done(amount=5, cash=2, bonus=2),
    ],
)
def test_nonsense_is_never_a_yes(body: object) -> None:
    said = outcome(200, body)
    assert isinstance(said, Unknown)
    assert said.fault


@pytest.mark.parametrize("status", [201, 202, 204, 301, 307, 500, 502, 503])
def test_another_status_is_no_answer(status: int) -> None:
    assert isinstance(outcome(status, done(amount=1)), Unknown)
    assert isinstance(outcome(status, denied("player_blocked")), Unknown) or status < 0


@pytest.mark.parametrize(
    "code", ["insufficient_funds", "loss_limit", "player_unknown", "x_own_reason"]
)
@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 409, 422, 429])
def test_a_refusal_is_known_by_its_code(status: int, code: str) -> None:
    assert outcome(status, denied(code)) == Denied(code, "No.")


def test_a_refusal_may_state_the_balance() -> None:
    body = denied("insufficient_funds", balance={"currency": "EUR", "amount": 4})
    assert outcome(402, body) == Denied("insufficient_funds", "No.", Funds("EUR", 4))


@pytest.mark.parametrize(
    "body",
    [
        b"Forbidden",
        {},
        {"transaction_id": ID},
        *(denied(code) for code in ("", "x_", "X_OWN", "no_such_code", 7, None)),
        denied("x_" + "a" * 39),
        denied("player_blocked", detail=7),
        denied("player_blocked", transaction_id=None),
        denied("player_blocked", transaction_id=ID[:-1] + "0"),
        denied("insufficient_funds", balance={"currency": "USD", "amount": 1}),
        denied("insufficient_funds", balance={"currency": "EUR", "amount": -1}),
    ],
)
def test_a_refusal_that_is_not_one_is_no_answer(body: object) -> None:
    assert isinstance(outcome(403, body), Unknown)


def test_what_a_player_is_shown_is_short_and_plain() -> None:
    body = denied("player_blocked", detail="a\x00\x1b[31m" + "b" * 500)
    said = outcome(403, body)
    assert isinstance(said, Denied)
    assert said.detail == "a[31m" + "b" * 195


def test_an_id_that_was_used_for_something_else_is_rolled_back() -> None:
    said = outcome(409, denied("transaction_conflict"))
    assert said == Denied("transaction_conflict", "No.", undo=True)


def test_a_free_bet_is_refused_and_rolled_back() -> None:
    said = outcome(200, {**done(amount=1), "free_bet": True})
    assert isinstance(said, Denied)
    assert (said.code, said.undo) == ("free_bet_refused", True)
    credit = {**ASKED, "kind": "credit"}
    raw = orjson.dumps({**done(amount=1), "free_bet": True})
    assert outcome_of(200, raw, credit) == Done(Funds("EUR", 1))


def test_what_is_said_is_kept() -> None:
    assert funds_said(None) is None
    assert funds_said(said_of(Denied("loss_limit", "No."))) is None
    kept = orjson.loads(said_of(Denied("loss_limit", "No.", Funds("EUR", 4))))
    assert kept == {
        "code": "loss_limit",
        "detail": "No.",
        "balance": {"currency": "EUR", "amount": 4},
    }
