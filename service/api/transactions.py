"""An operator follows all that moved his players' money."""

import re
from typing import Any, Final

import orjson

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.paging import ID, cursor_of, list_name, place_in
from service.api.reply import Reply, private
from service.api.views import time_text
from service.store.feed import BEGINNING, Movement, Place, movements

_PLACE: Final = re.compile(rf"(0|[1-9][0-9]{{0,18}}) ({ID})")


def list_transactions(api: Api, asked: Asked) -> Reply:
    """Show what moved after a place, oldest first, and the place to go on from."""
    mode: str = asked.query["mode"]
    # Not the limit: who follows for years may change it.
    list_ = list_name(asked.operation, asked.operator, mode)
    found = place_in(asked, list_, _PLACE)
    after = BEGINNING if found is None else Place(int(found[1]), found[2])
    limit: int = asked.query["limit"]
    moved = movements(api.database, asked.operator, mode, after, limit)
    last = moved[-1].place if moved else after
    return private(
        {
            "items": [_view(one) for one in moved],
            "next_cursor": cursor_of(list_, f"{last.tx} {last.id}"),
        }
    )


def _view(one: Movement) -> dict[str, Any]:
    view = {
        "source": one.source,
        "id": one.place.id,
        "at": time_text(one.at),
        "player_id": one.player,
        "mode": one.mode,
        "currency": one.currency,
        "purpose": one.purpose,
        "amount": one.amount,
        "moved": one.moved,
        "round_id": one.round_id,
        "version": one.ver,
    }
    if one.source == "ledger":
        return view | {"balance": one.balance, "reference": one.reference}
    return view | _call(one)


def _call(one: Movement) -> dict[str, Any]:
    said: dict[str, Any] = {} if one.said is None else orjson.loads(one.said)
    funds = said.get("balance") or {}
    return {
        "kind": one.kind,
        "status": one.status,
        "table_id": one.table_id,
        "session_id": one.session,
        "debit_id": one.debit,
        "code": said.get("code"),
        "balance": funds.get("amount"),
        "cash": funds.get("cash"),
        "bonus": funds.get("bonus"),
        "ended_at": None if one.ended_at is None else time_text(one.ended_at),
    }
