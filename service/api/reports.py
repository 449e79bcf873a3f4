"""Sums that an operator asks for: funds held by rounds, and turnover."""

from typing import Any, Final

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.reply import Reply, private
from service.api.times import days
from service.api.views import time_text
from service.store.database import clock
from service.store.reports import Held, Turnover, held, owed, turnover

MOST_DAYS: Final = 366
"""Days of one report."""


def get_held_report(api: Api, asked: Asked) -> Reply:
    """Show what unfinished rounds hold, and what players owe."""
    mode: str = asked.query["mode"]
    items = [_held(one) for one in held(api.database, asked.operator, mode)]
    at = time_text(clock(api.database))
    owing = [one._asdict() for one in owed(api.database, asked.operator, mode)]
    return private({"mode": mode, "at": at, "items": items, "owed": owing})


def get_turnover_report(api: Api, asked: Asked) -> Reply:
    """Show stakes, payouts and margin of the rounds that ended on some days."""
    mode: str = asked.query["mode"]
    first, last = days(asked, MOST_DAYS)
    found = turnover(api.database, asked.operator, mode, first, last)
    body = {"mode": mode, "from": first.isoformat(), "to": last.isoformat()}
    return private({**body, "items": [_turnover(one) for one in found]})


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
        "malfunction": {
            "rounds": one.malfunction_rounds,
            "stake": one.malfunction_stake,
            "payout": one.malfunction_payout,
        },
    }
