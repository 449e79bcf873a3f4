"""The daily seals of the log, for anybody who keeps their roots elsewhere."""

import re
from typing import Final

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.paging import page_reply, place_of
from service.api.reply import Reply
from service.seals.export import as_json
from service.store.seals import newest_seals

_NUMBER: Final = re.compile("[1-9][0-9]{0,8}")
_BEYOND: Final = 2**31 - 1


def list_seals(api: Api, asked: Asked) -> Reply:
    """Show the seals, the newest first, as they were signed."""
    found = place_of(asked, _NUMBER)
    before = _BEYOND if found is None else int(found[0])
    rows = newest_seals(api.database, before, asked.query["limit"] + 1)
    return page_reply(asked, [(str(row.seal.number), as_json(row)) for row in rows])
