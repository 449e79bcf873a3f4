"""What a player may be dealt: the tables of his currency, and the limits in force."""

from typing import Any

from service.api.asked import Asked
from service.api.endpoint import Api
from service.rules.table import TableRules
from service.store.operators import Offer, offers_of
from service.store.sessions import Session


def offered_view(
    api: Api, asked: Asked, session: Session | None
) -> list[dict[str, Any]]:
    """Return the tables that take the token's currency, as his operator offers them.

    Money in minor units; `exposure` is the most that a round may put at stake, None
    for any; `max_win` is what the table's cap comes to. Raises DatabaseUnavailable.
    """
    caller = asked.player
    offers = {
        offer.table_id: offer
        for offer in offers_of(api.database, caller.operator)
        if offer.currency == caller.currency
    }
    named = session.tables if session else None
    return [
        _offered(table, caller.currency, offers.get(table.table_id))
        for table in api.catalog.current()
        if table.seating == "private"
        and caller.currency in table.limits
        and (named is None or table.table_id in named)
    ]


def _offered(table: TableRules, currency: str, offer: Offer | None) -> dict[str, Any]:
    limits = table.limits[currency]
    as_it_is = Offer("", table.table_id, currency)
    _, table_id, _, enabled, minimum, maximum, exposure = offer or as_it_is
    maximum = maximum or limits.maximum
    return {
        "table_id": table_id,
        "enabled": enabled,
        "minimum": minimum or limits.minimum,
        "maximum": maximum,
        "exposure": exposure,
        "max_win": table.cap(maximum),
    }
