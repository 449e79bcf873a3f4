"""An operator follows what was out of the ordinary, and who changed what."""

import re
from typing import Any, Final

import orjson

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.paging import ID, cursor_of, list_name, place_in
from service.api.reply import Reply, private
from service.api.times import moment
from service.api.views import time_text
from service.store.feed import BEGINNING, Place
from service.store.significant import Noted, Sought, events_of

_PLACE: Final = re.compile(rf"(0|[1-9][0-9]{{0,18}}) ({ID})")


def list_significant_events(api: Api, asked: Asked) -> Reply:
    """Show what was noted after a place, oldest first, and the place to go on from."""
    query = asked.query
    times = (moment(asked, "from"), moment(asked, "to"))
    sought = Sought(query["kind"], query["mode"], *times)
    # Not the limit: who follows for years may change it.
    list_ = list_name(asked.operation, asked.operator, *sought)
    found = place_in(asked, list_, _PLACE)
    after = BEGINNING if found is None else Place(int(found[1]), found[2])
    noted = events_of(api.database, asked.operator, sought, after, query["limit"])
    last = noted[-1].place if noted else after
    return private(
        {
            "items": [_view(one) for one in noted],
            "next_cursor": cursor_of(list_, f"{last.tx} {last.id}"),
        }
    )


def _view(one: Noted) -> dict[str, Any]:
    return {
        "id": one.place.id,
        "kind": one.kind,
        "at": time_text(one.at),
        "who": one.who,
        "why": one.why,
        "house": one.operator is None,
        "player_id": one.player,
        "mode": one.mode,
        "round_id": one.round_id,
        "version": one.ver,
        "before": _json(one.before),
        "after": _json(one.after),
        "data": _json(one.data),
    }


def _json(raw: bytes | None) -> Any:  # noqa: ANN401 - JSON
    return None if raw is None else orjson.loads(raw)
