"""What operators changed of a table, held against the table's rules."""

from dataclasses import replace

from service.rules.table import TableRules, contradictions
from service.store.database import Database
from service.store.operators import Offer, offers_of_table


class OffersAtOdds(Exception):
    """Rules that cannot be offered as operators offer their table."""


def offer_faults(rules: TableRules, offer: Offer) -> list[str]:
    """Return what a table's file would be refused with that says what an offer does.

    Nothing where the rules don't take its currency: there it changes nothing.
    """
    limits = rules.limits.get(offer.currency)
    if limits is None:
        return []
    moved = limits._replace(
        minimum=offer.minimum or limits.minimum,
        maximum=offer.maximum or limits.maximum,
    )
    return list(contradictions(replace(rules, limits={offer.currency: moved})))


def check_offers(db: Database, rules: TableRules) -> None:
    """See that a table can be offered under these rules as it is offered now.

    A deal would be refused for every wager there is, or its max win be no whole number.
    Raises OffersAtOdds with all faults of all offers, or DatabaseUnavailable.
    """
    faults = [
        f"  {offer.operator}, {offer.currency}: {fault}"
        for offer in offers_of_table(db, rules.table_id)
        for fault in offer_faults(rules, offer)
    ]
    if faults:
        lines = "\n".join(faults)
        raise OffersAtOdds(
            f"{rules.table_id}: the limits of these operators would contradict the new "
            f"rules; change them first (upcard operators tables):\n{lines}"
        )
