"""The jackpots: what each would pay, and what it has paid. Public, by operator."""

from fractions import Fraction
from typing import Any, Final

from service.api.asked import Asked
from service.api.auth import bears_token, caller_of
from service.api.endpoint import Api
from service.api.problems import Problem
from service.api.reply import Reply, digest, fresh, unless_known
from service.api.views import time_text
from service.jackpotfile import decimal, lines_of, return_at
from service.meter import Jackpot
from service.rules.table import TableRules
from service.store.jackpots import last_hits
from service.wallet.wallets import OperatorUnknown

_HITS: Final = 10
_PLACES: Final = 12
Json = dict[str, Any]


def list_jackpots(api: Api, asked: Asked) -> Reply:
    """Show an operator's jackpots, by name."""
    operator = _operator(api, asked)
    items = [jackpot_view(api, operator, one) for one in api.meters.jackpots()]
    view = {"items": items, "next_cursor": None}
    return unless_known(asked, fresh(view, digest(view)))


def get_jackpot(api: Api, asked: Asked) -> Reply:
    """Show one of an operator's jackpots. Raises Problem, 404, without one."""
    operator, name = _operator(api, asked), asked.path["jackpot_id"]
    for jackpot in api.meters.jackpots():
        if jackpot.jackpot_id == name:
            view = jackpot_view(api, operator, jackpot)
            return unless_known(asked, fresh(view, digest(view)))
    raise Problem("jackpot_not_found", f"There is no jackpot {name}.")


def jackpot_view(api: Api, operator: str, jackpot: Jackpot) -> Json:
    """Return a jackpot as everybody sees it; who has hit it is told to nobody."""
    meter = api.meters.meter(operator, jackpot)
    now = api.meters.in_force(meter)
    place = (operator, jackpot.jackpot_id)
    hits = last_hits(api.database, *place, _HITS, returned=False)
    return {
        "id": jackpot.jackpot_id,
        "currency": jackpot.currency,
        "tables": list(jackpot.tables),
        "meter": meter.amount,
        "reset": jackpot.reset,
        "ceiling": now.ceiling,
        "contribution": str(now.contribution),
        "changes_at_next_hit": now.version != jackpot.version,
        "hits": [{"at": time_text(hit.at), "amount": hit.amount} for hit in hits],
    }


def bonus_chances(table: TableRules) -> dict[str, Json]:
    """Return the chance of each line, exact and as a decimal."""
    return {line: share(chance, _PLACES) for line, chance in lines_of(table).items()}


def table_jackpots(api: Api, table: TableRules, operator: str | None) -> list[Json]:
    """Return a table's jackpots, and what the bonus returns as they stand.

    The meter is the operator's; without one the return is that at the reset value.
    """
    views = []
    for jackpot in api.meters.jackpots():
        limits = table.limits.get(jackpot.currency)
        if table.table_id not in jackpot.tables or not (limits and limits.bonus_wager):
            continue
        meter = operator and api.meters.meter(operator, jackpot).amount
        stands = jackpot.reset if meter is None else meter
        views.append(
            {
                "id": jackpot.jackpot_id,
                "currency": jackpot.currency,
                "reset": jackpot.reset,
                "meter": meter,
                "return": share(return_at(table, limits.bonus_wager, int(stands))),
            }
        )
    return views


def share(value: Fraction, places: int = 7) -> Json:
    """Return an exact fraction, and the decimals that it begins with.

    >>> share(Fraction(2, 3), 4)
    {'exact': '2/3', 'decimal': '0.6666'}
    """
    return {"exact": str(value), "decimal": decimal(value, places)}


def operator_seen(api: Api, asked: Asked) -> str | None:
    """Return whose meters a table's page shows: the operator named, or the token's.

    None without either, and for a token that is not good: the page is public. Raises
    Problem for a name that is nobody's.
    """
    if asked.query.get("operator") is not None:
        return _operator(api, asked)
    if not bears_token(asked.environ):
        return None
    try:
        named = caller_of(api.tokens, asked.environ).operator
        return api.wallets.operator(named).operator
    except (Problem, OperatorUnknown):
        return None


def _operator(api: Api, asked: Asked) -> str:
    try:
        return api.wallets.operator(asked.query["operator"]).operator
    except OperatorUnknown:
        raise Problem("operator_not_found", "There is no such operator.") from None
