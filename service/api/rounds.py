"""Rounds: deal one, find the open ones, read one, and its events."""

from service.api.asked import Asked
from service.api.commands import answered
from service.api.endpoint import Api
from service.api.paging import page_reply, place_before
from service.api.refused import wagers_refused
from service.api.reply import (
    WAITING,
    Reply,
    private,
    round_reply,
    round_tag,
    unless_known,
)
from service.api.schemas import DEAL, DealBody
from service.api.views import events_view, seen_view
from service.dealing import Wish
from service.rules.commands import BoxWager, Refused


def deal_round(api: Api, asked: Asked) -> Reply:
    """Place the wagers and deal."""
    deal: DealBody = DEAL.load(asked.body)
    player = asked.player.player
    boxes = tuple(
        BoxWager(bet.box, player, bet.wager, bet.bonus_wager) for bet in deal.boxes
    )
    what = (deal.table_id, deal.currency, boxes)
    wish = Wish(*what, deal.raise_to_minimum, deal.cards, deal.rebet)
    try:
        reply = answered(api, asked, lambda: api.play.deal(asked.ask, wish))
    except Refused as refused:
        raise wagers_refused(refused, deal.currency, rebet=deal.rebet) from None
    if reply.status == WAITING:
        return reply
    reply.headers["Location"] = f"/v1/rounds/{reply.body['round']['id']}"
    return reply._replace(status=201)


def list_open_rounds(api: Api, asked: Asked) -> Reply:
    """Show the player's rounds that are not over, newest first."""
    before = place_before(asked)
    caller = asked.player
    seen = [one for one in api.play.open_rounds(asked.ask) if one.round_id < before]
    items = [(one.round_id, seen_view(one, caller.player)) for one in seen]
    return page_reply(asked, items)


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
    return unless_known(asked, private(body, round_tag(seen.version)))
