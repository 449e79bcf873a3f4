"""Pages of a list: where one ends, and where the next one begins.

Most are newest first: ids are UUIDv7, which sort by the time of making; a page ends at
an id, so that what is new in the meantime moves nothing.
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
ID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
"""An id, as a pattern: what a cursor may be made up of reaches the database."""
_ID: Final = re.compile(ID)


def place_before(asked: Asked) -> str:
    """Return the id that those of the page come before. Raises as `place_in` does."""
    found = place_of(asked, _ID)
    return NEWEST if found is None else found[0]


def place_of(asked: Asked, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Return the place that the cursor names in the list that is asked for.

    It is of the same operation, path and parameters. Raises as `place_in` does.
    """
    return place_in(asked, _list_of(asked), pattern)


def place_in(
    asked: Asked, list_: str, pattern: re.Pattern[str]
) -> re.Match[str] | None:
    """Return the place that the cursor names in a list; None without a cursor.

    Raises Problem `invalid` for a cursor of another list, or one made up.
    """
    cursor: str | None = asked.query["cursor"]
    if cursor is None:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, b"-_", validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    kept, _, place = text.partition(" ")
    found = pattern.fullmatch(place)
    if found is None or kept != list_:
        detail = "is not the next_cursor of a page with these parameters"
        errors = [{"pointer": "query:cursor", "code": "malformed", "detail": detail}]
        raise Problem("invalid", "1 value is not as the contract says.", errors=errors)
    return found


def cursor_of(list_: str, place: str) -> str:
    """Return the cursor that names a place in a list."""
    text = f"{list_} {place}".encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def list_name(*parts: object) -> str:
    """Return what tells a list from every other one, short."""
    text = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(text).hexdigest()[:16]


def page_reply(asked: Asked, items: Sequence[tuple[str, dict[str, Any]]]) -> Reply:
    """Answer with a page of what was found, each with its place, from the page's start.

    One more than the `limit` tells that there is another page.
    """
    limit: int = asked.query["limit"]
    page = items[:limit]
    more = len(items) > limit
    cursor = cursor_of(_list_of(asked), page[-1][0]) if more else None
    return private({"items": [view for _, view in page], "next_cursor": cursor})


def _list_of(asked: Asked) -> str:
    query = {k: v for k, v in asked.query.items() if k != "cursor"}
    return list_name(asked.operation, asked.path, query)
