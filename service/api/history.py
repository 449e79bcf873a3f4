"""A player's history: what he bet, what he got, and how each round went."""

import re
from typing import Final

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.paging import ID, page_reply, place_of
from service.api.past import past_view, replay_view
from service.api.reply import Reply, private, round_tag, unless_known
from service.api.times import moment, wrong_time
from service.history import logged, past, replay
from service.proof import row_json
from service.store.history import NEWEST, Place, Sought

_PLACE: Final = re.compile(rf"([0-9]{{1,17}}) ({ID})")


def list_history(api: Api, asked: Asked) -> Reply:
    """Show the player's rounds that have ended, newest first."""
    found = place_of(asked, _PLACE)
    before = NEWEST if found is None else Place(int(found[1]), found[2])
    caller = asked.player
    sought = sought_in(asked, moment(asked, "from"), moment(asked, "to"))
    limit: int = asked.query["limit"]
    rounds = past(api.play.house, caller.account, sought, before, limit + 1)
    items = [
        (f"{one.row.opened_at} {one.row.round_id}", past_view(one, caller.player))
        for one in rounds
    ]
    return page_reply(asked, items)


def get_history(api: Api, asked: Asked) -> Reply:
    """Show a round of the player step by step."""
    caller, round_id = asked.player, asked.round_id
    shown = replay(api.play.house, caller.account, round_id)
    body = replay_view(round_id, shown, caller.player)
    return unless_known(asked, private(body, round_tag(body["version"])))


def list_player_history(api: Api, asked: Asked) -> Reply:
    """Show the operator the history of a player of his."""
    return list_history(api, asked.for_player())


def get_player_history(api: Api, asked: Asked) -> Reply:
    """Show the operator a round of a player step by step."""
    return get_history(api, asked.for_player())


def list_player_rows(api: Api, asked: Asked) -> Reply:
    """Show the operator the rows of the log of a player's round, as they are kept."""
    account = asked.for_player().player.account
    rows = logged(api.play.house, account, asked.round_id)
    body = {
        "round_id": asked.round_id,
        "account": account,
        "rows": [row_json(row) for row in rows],
    }
    return unless_known(asked, private(body, round_tag(rows[-1].ver)))


def sought_in(asked: Asked, since: int | None, until: int | None) -> Sought:
    """Return which rounds are asked for, of those opened in a span of time."""
    if since is not None and until is not None and since >= until:
        raise wrong_time("to", "not_allowed", "must be after `from`")
    query = asked.query
    what = (query["table_id"], query["currency"], since, until)
    return Sought(*what, query["status"], query["result"])
