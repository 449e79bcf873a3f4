"""Sums that an operator asks for: funds held by rounds, and turnover."""

import datetime as dt
from typing import Any, Final

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.problems import Problem
from service.api.reply import Reply, private
from service.api.views import time_text
from service.store.database import clock
from service.store.reports import Held, Turnover, held, turnover

MOST_DAYS: Final = 366
"""Days of one report."""


def get_held_report(api: Api, asked: Asked) -> Reply:
    """Show what unfinished rounds hold, by currency and table."""
    mode: str = asked.query["mode"]
    items = [_held(one) for one in held(api.database, asked.operator, mode)]
    at = time_text(clock(api.database))
    return private({"mode": mode, "at": at, "items": items})


def get_turnover_report(api: Api, asked: Asked) -> Reply:
    """Show stakes, payouts and margin of the rounds that ended on some days."""
    mode: str = asked.query["mode"]
    first, last = _day(asked, "from"), _day(asked, "to")
    if not 0 <= (last - first).days < MOST_DAYS:
        detail = f"must be {first} or one of the {MOST_DAYS - 1} days after it"
        raise _wrong("to", "not_allowed", detail)
    found = turnover(api.database, asked.operator, mode, first, last)
    body = {"mode": mode, "from": first.isoformat(), "to": last.isoformat()}
    return private({**body, "items": [_turnover(one) for one in found]})


def _day(asked: Asked, name: str) -> dt.date:
    try:
        return dt.date.fromisoformat(asked.query[name])
    except ValueError:
        raise _wrong(name, "malformed", "is no day of the calendar") from None


def _wrong(name: str, code: str, detail: str) -> Problem:
    errors = [{"pointer": f"query:{name}", "code": code, "detail": detail}]
    return Problem("invalid", "1 value is not as the contract says.", errors=errors)


def _held(one: Held) -> dict[str, Any]:
    return one._asdict()


def _turnover(one: Turnover) -> dict[str, Any]:
    return {
        "day": one.day.isoformat(),
        "table_id": one.table_id,
        "currency": one.currency,
        "rounds": one.rounds,
        "stake": one.stake,
        "payout": one.payout,
        "margin": one.stake - one.payout,
        "void": {
            "rounds": one.void_rounds,
            "stake": one.void_stake,
            "payout": one.void_payout,
        },
    }
