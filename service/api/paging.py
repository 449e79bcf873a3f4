"""Pages of a list, newest first: where one ends, and where the next one begins.

Ids are UUIDv7, which sort by the time of making; a page ends at an id, so that what
is new in the meantime moves nothing.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from typing import Any, Final

import orjson

from service.api.asked import Asked
from service.api.problems import Problem
from service.api.reply import Reply, private

NEWEST: Final = "ffffffff-ffff-ffff-ffff-ffffffffffff"
"""No id is above this one."""
_PLACE: Final = re.compile(r"([0-9a-f]{16}) ([0-9a-f-]{36})")


def place_before(asked: Asked) -> str:
    """Return the id that those of the page come before.

    Raises Problem `invalid` for a cursor of another list, or one made up.
    """
    cursor: str | None = asked.query["cursor"]
    if cursor is None:
        return NEWEST
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, b"-_", validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    place = _PLACE.fullmatch(text)
    if place is None or place[1] != _list_of(asked):
        detail = "is not the next_cursor of a page with these parameters"
        errors = [{"pointer": "query:cursor", "code": "malformed", "detail": detail}]
        raise Problem("invalid", "1 value is not as the contract says.", errors=errors)
    return place[2]


def page_reply(asked: Asked, items: Sequence[tuple[str, dict[str, Any]]]) -> Reply:
    """Answer with a page of what was found, each with its id, from the page's start.

    One more than the `limit` tells that there is another page.
    """
    limit: int = asked.query["limit"]
    page = items[:limit]
    cursor = _cursor(asked, page[-1][0]) if len(items) > limit else None
    return private({"items": [view for _, view in page], "next_cursor": cursor})


def _cursor(asked: Asked, last: str) -> str:
    place = f"{_list_of(asked)} {last}".encode()
    return base64.urlsafe_b64encode(place).rstrip(b"=").decode()


def _list_of(asked: Asked) -> str:
    """Return what tells the list of a request from every other list."""
    query = {k: v for k, v in asked.query.items() if k != "cursor"}
    parts = [asked.operation, asked.path, query]
    text = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(text).hexdigest()[:16]
