"""Money that an operator brings to a player's ledger or takes away, and its history."""

from typing import Any

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.paging import page_reply, place_before
from service.api.problems import Problem
from service.api.refused import funds_short
from service.api.reply import Reply, private, replayed
from service.api.schemas import TRANSFER, TransferBody
from service.api.sessions import check_currency, refuse_sandbox
from service.api.tokens import account_of
from service.api.views import time_text
from service.store.ledger import Statement, statement
from service.store.rows import Holder
from service.wallet.cash import (
    BalanceTooLarge,
    Cash,
    Purpose,
    ReferenceReused,
    move_cash,
)
from service.wallet.port import FundsShort


def deposit_money(api: Api, asked: Asked) -> Reply:
    """Bring money to a player's ledger, once for each reference."""
    return _moved(api, asked, "deposit")


def withdraw_money(api: Api, asked: Asked) -> Reply:
    """Take money from a player's ledger, once for each reference."""
    return _moved(api, asked, "withdrawal")


def list_statement(api: Api, asked: Asked) -> Reply:
    """Show what moved a player's balance in a currency, newest first."""
    caller = asked.for_player().player
    if caller.mode == "real":
        _check_ledger(api, asked)
    before, limit = place_before(asked), asked.query["limit"]
    place = (caller.account, caller.currency, before, limit + 1)
    entries = statement(api.database, *place)
    return page_reply(asked, [(one.entry_id, _entry(one)) for one in entries])


def _moved(api: Api, asked: Asked, purpose: Purpose) -> Reply:
    body: TransferBody = TRANSFER.load(asked.body)
    check_currency(body.currency)
    _check_ledger(api, asked)
    refuse_sandbox(api, asked)
    operator, player = asked.operator, asked.path["player_id"]
    account = account_of(operator, player, "real")
    holder = Holder(account, operator, player, "real")
    cash = Cash(holder, body.currency, purpose, body.amount, body.reference)
    try:
        receipt = move_cash(api.database, cash)
    except FundsShort as short:
        raise funds_short(short, body.currency) from None
    except ReferenceReused:
        detail = "This reference stands for another amount, currency or direction."
        raise Problem("reference_reused", detail) from None
    except BalanceTooLarge:
        detail = "The balance would be more than the service counts with."
        raise Problem("balance_too_large", detail) from None
    reply = private(
        {
            "purpose": purpose,
            "currency": body.currency,
            "amount": body.amount,
            "reference": body.reference,
            "balance": receipt.balance,
            "at": time_text(receipt.at),
        }
    )
    return replayed(reply) if receipt.replayed else reply


def _check_ledger(api: Api, asked: Asked) -> None:
    if api.wallets.operator(asked.operator).wallet != "ledger":
        detail = "The operator's own wallet keeps this money; ask it."
        raise Problem("not_ledger", detail)


def _entry(one: Statement) -> dict[str, Any]:
    return {
        "entry_id": one.entry_id,
        "purpose": one.purpose,
        "round_id": one.round_id,
        "version": one.ver,
        "reference": one.reference,
        "currency": one.currency,
        "amount": one.amount,
        "balance": one.balance,
        "at": time_text(one.at),
    }
