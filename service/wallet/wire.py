"""What goes over the wire to an operator's wallet and back: docs/wallet.yaml in code.

Nothing that a wallet answers is believed before it is checked; what is not as the
contract says is no answer at all, so never a success.
"""

import re
from typing import Any, Final, NamedTuple

import orjson

from service.chance import new_id
from service.store.transfers import Transfer

MOST: Final = 2**53 - 1
"""The largest amount that every JSON reader takes for what it is."""
PLAYERS: Final = frozenset(
    {
        *("insufficient_funds", "player_blocked", "loss_limit", "stake_limit"),
        *("time_limit", "reality_check", "session_expired"),
    }
)
"""The codes of a refusal that a player can cause; an operator's own begin with x_."""
FAULTS: Final = frozenset(
    {
        *("invalid", "signature_invalid", "timestamp_stale", "player_unknown"),
        *("currency_refused", "transaction_conflict", "transaction_rolled_back"),
        *("debit_unknown", "refund_too_large"),
    }
)
"""The codes of a refusal that one of the two services causes."""
FREE_BET: Final = "free_bet_refused"
"""Our own code, for a debit that the wallet did not take of the player's money."""

_OWN_CODE: Final = re.compile(r"x_[a-z0-9_]{1,38}")
_DETAIL_LENGTH: Final = 200
_OK: Final = 200
_CLIENT_FAULTS: Final = range(400, 500)


class Funds(NamedTuple):
    """What a player has, in minor units; of which cash and bonus, if that is said."""

    currency: str
    amount: int
    cash: int | None = None
    bonus: int | None = None


class Done(NamedTuple):
    """The wallet did what it was asked, now or before."""

    funds: Funds


class Denied(NamedTuple):
    """The wallet refuses and nothing moved; `undo`: and yet it might have, before."""

    code: str
    detail: str
    funds: Funds | None = None
    undo: bool = False


class Unknown(NamedTuple):
    """What the wallet did is not known; `fault`: because its answer is nonsense."""

    why: str
    fault: bool = False


Outcome = Done | Denied | Unknown


class Nonsense(ValueError):
    """An answer is not as the contract says; the text names the place, no value."""


def body_of(transfer: Transfer) -> dict[str, Any]:
    """Return the JSON that a transfer sends; the same at every try."""
    body: dict[str, Any] = {
        "kind": transfer.kind,
        "transaction_id": transfer.transfer_id,
        "round_id": transfer.round_id,
        "table_id": transfer.table_id,
        "player_id": transfer.player,
        "session_id": transfer.session,
        "currency": transfer.currency,
        "amount": transfer.amount,
        "purpose": transfer.purpose,
        "lines": orjson.loads(transfer.lines),
    }
    if transfer.debit is not None:
        body["debit_id"] = transfer.debit
    return body


def balance_body(player: str, currency: str, session: str | None) -> dict[str, Any]:
    """Return the JSON that asks what a player has; its id tells answers apart."""
    return {
        "kind": "balance",
        "transaction_id": new_id(),
        "player_id": player,
        "session_id": session,
        "currency": currency,
    }


def outcome_of(status: int, raw: bytes, asked: dict[str, Any]) -> Outcome:
    """Return what an answer to a body of ours says.

    A refusal, too, must name the transaction: it might be the answer to another call.
    """
    try:
        found = _answer(raw, asked)
        if status == _OK:
            return _done(found, asked)
        if status in _CLIENT_FAULTS:
            return _denied(found, asked)
    except Nonsense as nonsense:
        return Unknown(f"status {status}: {nonsense}", fault=True)
    return Unknown(f"status {status}", fault=True)


def said_of(outcome: Done | Denied) -> bytes:
    """Return the JSON that is kept of an answer."""
    funds = outcome.funds
    said: dict[str, Any] = {} if funds is None else {"balance": _stated(funds)}
    if isinstance(outcome, Denied):
        said |= {"code": outcome.code, "detail": outcome.detail}
    return orjson.dumps(said)


def funds_said(said: bytes | None) -> Funds | None:
    """Return what was kept of a balance, None where it was not stated."""
    found = orjson.loads(said).get("balance") if said else None
    return Funds(**found) if found else None


def _stated(funds: Funds) -> dict[str, Any]:
    return {name: of for name, of in funds._asdict().items() if of is not None}


def _answer(raw: bytes, asked: dict[str, Any]) -> dict[str, Any]:
    try:
        found = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise Nonsense("the body is not JSON") from None
    if not isinstance(found, dict):
        raise Nonsense("the body is no object")
    if found.get("transaction_id") != asked["transaction_id"]:
        raise Nonsense("transaction_id is not the one that was sent")
    return found


def _done(found: dict[str, Any], asked: dict[str, Any]) -> Outcome:
    if found.get("free_bet") and asked["kind"] == "debit":
        return Denied(FREE_BET, "Free bets are not taken.", undo=True)
    return Done(_funds(found.get("balance"), asked["currency"]))


def _denied(found: dict[str, Any], asked: dict[str, Any]) -> Denied:
    code, detail = found.get("code"), found.get("detail", "")
    if not isinstance(code, str) or not isinstance(detail, str):
        raise Nonsense("a refusal without its code")
    if code not in PLAYERS | FAULTS and not _OWN_CODE.fullmatch(code):
        raise Nonsense("a code that the contract does not know")
    funds = None
    if found.get("balance") is not None:
        funds = _funds(found["balance"], asked["currency"])
    plain = "".join(char for char in detail if char.isprintable())[:_DETAIL_LENGTH]
    return Denied(code, plain, funds, undo=code == "transaction_conflict")


def _funds(found: object, currency: str) -> Funds:
    if not isinstance(found, dict):
        raise Nonsense("balance is no object")
    if found.get("currency") != currency:
        raise Nonsense("balance.currency is not the one that was sent")
    amount = _money(found, "amount")
    cash, bonus = (
        _money(found, part) if found.get(part) is not None else None
        for part in ("cash", "bonus")
    )
    parts = [part for part in (cash, bonus) if part is not None]
    if sum(parts) > amount or (len(parts) > 1 and sum(parts) != amount):
        raise Nonsense("balance.cash and balance.bonus are not its amount")
    return Funds(currency, amount, cash, bonus)


def _money(found: dict[str, Any], name: str) -> int:
    amount = found.get(name)
    # bool is an int to isinstance, and true is no money.
    if type(amount) is not int or not 0 <= amount <= MOST:
        raise Nonsense(f"balance.{name} is not a whole number from 0")
    return amount
