"""Events as they are stored, and back: JSON objects under frozen names."""

from collections.abc import Callable, Mapping
from typing import Any

from service.rules.events import (
    EVENTS,
    STORED_AS,
    BoxOpened,
    Event,
    HandSplit,
    Refund,
    RoundOpened,
    RoundVoided,
)
from service.rules.table import TableRules


def encode(event: Event) -> dict[str, Any]:
    """Return the stored form of an event, ready for JSON.

    >>> from service.rules.events import HandStood
    >>> encode(HandStood("2a", "player"))
    {'type': 'hand_stood/1', 'hand': '2a', 'decided_by': 'player'}
    """
    fields = event._asdict()
    if isinstance(event, RoundOpened):
        table = fields.pop("table")
        boxes = [box._asdict() for box in event.boxes]
        ids = {"table_id": table.table_id, "table_version": table.version}
        return {"type": STORED_AS[type(event)], **ids, **fields, "boxes": boxes}
    if isinstance(event, RoundVoided):
        fields["refunds"] = [refund._asdict() for refund in event.refunds]
    return {"type": STORED_AS[type(event)], **fields}


def decode(stored: dict[str, Any], tables: Mapping[str, TableRules]) -> Event:
    """Return the event of a stored form; ``tables`` finds rules by version.

    Raises KeyError for a name or a table version that this release does not know.
    """
    name = stored.pop("type")
    special = _DECODERS.get(name)
    if special is not None:
        return special(stored, tables)
    event: Event = EVENTS[name](**stored)
    return event


def _round_opened(stored: dict[str, Any], tables: Mapping[str, TableRules]) -> Event:
    del stored["table_id"]
    table = tables[stored.pop("table_version")]
    boxes = tuple(BoxOpened(**box) for box in stored.pop("boxes"))
    return RoundOpened(table=table, boxes=boxes, **stored)


def _hand_split(stored: dict[str, Any], _: Mapping[str, TableRules]) -> Event:
    return HandSplit(cards=tuple(stored.pop("cards")), **stored)


def _round_voided(stored: dict[str, Any], _: Mapping[str, TableRules]) -> Event:
    refunds = tuple(Refund(**refund) for refund in stored.pop("refunds"))
    return RoundVoided(refunds=refunds, **stored)


_DECODERS: Mapping[str, Callable[[dict[str, Any], Mapping[str, TableRules]], Event]] = {
    STORED_AS[RoundOpened]: _round_opened,
    STORED_AS[HandSplit]: _hand_split,
    STORED_AS[RoundVoided]: _round_voided,
}
