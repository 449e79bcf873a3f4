"""Rounds: deal one, find the open ones, read one, and its events."""

import base64
import binascii
import re
from typing import Final

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.problems import Problem
from service.api.refused import wagers_refused
from service.api.reply import Reply, command_reply, private, round_reply, unless_known
from service.api.schemas import DEAL, DealBody
from service.api.views import events_view, seen_view
from service.dealing import Wish
from service.rules.commands import BoxWager, Refused

_PLACE: Final = re.compile(r"(\w+) (\d+) ([0-9a-f-]{36})")


def deal_round(api: Api, asked: Asked) -> Reply:
    """Place the wagers and deal."""
    deal: DealBody = DEAL.load(asked.body)
    player = asked.player.player
    boxes = tuple(
        BoxWager(bet.box, player, bet.wager, bet.bonus_wager) for bet in deal.boxes
    )
    try:
        wish = Wish(deal.table_id, deal.currency, boxes, deal.raise_to_minimum)
        answer = api.play.deal(asked.ask, wish)
    except Refused as refused:
        raises = api.catalog.table(deal.table_id).under_minimum == "raise"
        raise wagers_refused(refused, raises=raises) from None
    reply = command_reply(asked, answer)
    reply.headers["Location"] = f"/v1/rounds/{answer.round_id}"
    return reply._replace(status=201)


def list_open_rounds(api: Api, asked: Asked) -> Reply:
    """Show the player's rounds that are not over, newest first."""
    status, limit = asked.query["status"], asked.query["limit"]
    before = _round_before(asked.query["cursor"], status, limit)
    caller = asked.player
    seen = [one for one in api.play.open_rounds(asked.ask) if one.round_id < before]
    page, more = seen[:limit], len(seen) > limit
    items = [seen_view(one, caller.player) for one in page]
    cursor = _cursor(status, limit, page[-1].round_id) if more else None
    return private({"items": items, "next_cursor": cursor})


def get_round(api: Api, asked: Asked) -> Reply:
    """Show a round."""
    seen = api.play.read(asked.ask, asked.round_id)
    return unless_known(asked, round_reply(asked, seen))


def list_events(api: Api, asked: Asked) -> Reply:
    """Show what happened in a round, oldest first."""
    seen = api.play.read(asked.ask, asked.round_id)
    after: int = asked.query["after"]
    player = asked.player.player
    events = [
        event
        for step in seen.steps
        for event in events_view(step, player)
        if event["seq"] > after
    ]
    body = {"round_id": seen.round_id, "version": seen.version, "events": events}
    return unless_known(asked, private(body, seen.version))


def _cursor(status: str, limit: int, round_id: str) -> str:
    """Return the place after a round in the list that was asked for."""
    place = f"{status} {limit} {round_id}".encode()
    return base64.urlsafe_b64encode(place).rstrip(b"=").decode()


def _round_before(cursor: str | None, status: str, limit: int) -> str:
    """Return the id that the page's ids come before (they are UUIDv7: by time).

    Raises Problem `invalid` for a cursor of another list, or one made up.
    """
    if cursor is None:
        return "g"
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, b"-_", validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    place = _PLACE.fullmatch(text)
    if place is None or place.groups()[:2] != (status, str(limit)):
        detail = "is not the next_cursor of a page with these parameters"
        errors = [{"pointer": "query:cursor", "code": "malformed", "detail": detail}]
        raise Problem("invalid", "1 value is not as the contract says.", errors=errors)
    return place[3]
