"""What a player is told of himself, and an operator of his player."""

from typing import Any

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.limits import own_limit_view
from service.api.offered import offered_view
from service.api.problems import Problem
from service.api.reply import Reply, command_reply, done, private, replayed
from service.api.rounds import get_round, list_open_rounds
from service.api.schemas import BLOCK, MALFUNCTION, BlockBody, MalfunctionBody
from service.api.sessions import session_view
from service.api.views import WAITS, time_text
from service.changes import Actor, disable_table, start, stop
from service.currencies import exponent
from service.rebet import LastWagers
from service.recorded import Seen
from service.store.sessions import find_session
from service.wallet.demo import refill


def get_me(api: Api, asked: Asked) -> Reply:
    """Show what a front-end begins with."""
    caller = asked.player
    now, session = find_session(api.database, caller.account, caller.session)
    body = {
        "player_id": caller.player,
        "mode": caller.mode,
        "currency": caller.currency,
        "exponent": exponent(caller.currency),
        "balance": api.play.balance(asked.ask, caller.currency),
        "open_rounds": [_short(seen) for seen in api.play.open_rounds(asked.ask)],
        "tables": offered_view(api, asked, session),
        "own_limit": own_limit_view(api, asked),
        "last_wagers": [_again(last) for last in api.play.last_wagers(asked.ask)],
        "session": session and session_view(session),
        "server_time": time_text(now),
    }
    return private(body)


def get_balance(api: Api, asked: Asked) -> Reply:
    """Show what the player has in his token's currency."""
    amount = api.play.balance(asked.ask, asked.player.currency)
    return private(balance_view(asked, amount))


def refill_balance(api: Api, asked: Asked) -> Reply:
    """Set a demo player's balance back up to what he began with."""
    caller = asked.player
    if caller.mode != "demo":
        raise Problem("not_demo", "Only demo money is refilled.")
    receipt = refill(api.database, asked.ask.holder, caller.currency, asked.key)
    reply = private(balance_view(asked, receipt.balance))
    return replayed(reply) if receipt.replayed else reply


def get_player_balance(api: Api, asked: Asked) -> Reply:
    """Show the operator what a player of his has."""
    return get_balance(api, asked.for_player())


def list_player_rounds(api: Api, asked: Asked) -> Reply:
    """Show the operator a player's rounds that are not over."""
    return list_open_rounds(api, asked.for_player())


def get_player_round(api: Api, asked: Asked) -> Reply:
    """Show the operator a round of a player."""
    return get_round(api, asked.for_player())


def block_player(api: Api, asked: Asked) -> Reply:
    """Take no new money of a player from now on."""
    block: BlockBody = BLOCK.load(asked.body)
    whose = (asked.operator, asked.path["player_id"])
    stop(api.database, Actor(asked.actor), *whose, block.why)
    return done()


def unblock_player(api: Api, asked: Asked) -> Reply:
    """Take a player's money again."""
    start(api.database, Actor(asked.actor), asked.operator, asked.path["player_id"])
    return done()


def malfunction_round(api: Api, asked: Asked) -> Reply:
    """Take a round of a player back; offer its table to nobody, if so asked."""
    body: MalfunctionBody = MALFUNCTION.load(asked.body)
    ask = asked.for_player().ask
    answer = api.play.malfunction(ask, asked.round_id, body.reason)
    if body.disable_table:
        actor = Actor(asked.actor, body.reason)
        # Its newest version, which is dealt, may take more currencies than the round's.
        table = api.catalog.table(answer.round.opened.table.table_id)
        disable_table(api.database, actor, asked.operator, table)
    return command_reply(asked, answer)


def balance_view(asked: Asked, amount: int | None) -> dict[str, Any]:
    """Return a balance; None is one that the wallet doesn't tell."""
    caller = asked.player
    return {
        "mode": caller.mode,
        "currency": caller.currency,
        "exponent": exponent(caller.currency),
        "amount": amount,
    }


def _short(seen: Seen) -> dict[str, Any]:
    opened = seen.round.opened
    return {
        "id": seen.round_id,
        "url": f"/v1/rounds/{seen.round_id}",
        "table_id": opened.table.table_id,
        "currency": opened.currency,
        "version": seen.version,
        "status": WAITS if seen.waits else seen.round.status,
        "expires_at": time_text(opened.expires_at),
    }


def _again(last: LastWagers) -> dict[str, Any]:
    """Return what was bet last, its boxes as a deal would be sent them."""
    boxes = []
    for bet in last.boxes:
        box = {"box": bet.box, "wager": bet.wager}
        boxes.append(
            box | ({"bonus_wager": bet.bonus_wager} if bet.bonus_wager else {})
        )
    return {"table_id": last.table_id, "currency": last.currency, "boxes": boxes}
