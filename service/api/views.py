"""Rounds, events and tables as a caller sees them.

Made from events and the rounds folded from them, which hold no secret: there is
nothing here to filter out. A player's name is told to nobody; `mine` says it all.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from service.recorded import Seen, Step
from service.rules.cards import is_ace, is_ten, total_of
from service.rules.events import (
    STORED_AS,
    Event,
    RoundDecided,
    RoundMalfunctioned,
    RoundOpened,
    RoundSettled,
    RoundVoided,
)
from service.rules.legal import LegalAction, legal_actions
from service.rules.round import Box, Hand, Round, is_natural
from service.rules.table import TableRules

WAITS: Final = "wallet_pending"
"""The status of a round while a stake is asked for and the answer is not known."""
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC; the Z is put by hand
_TYPES: Final = {kind: name.partition("/")[0] for kind, name in STORED_AS.items()}


def time_text(at: int) -> str:
    """Return microseconds since 1970 UTC as RFC 3339.

    >>> time_text(1_772_474_651_482_000)
    '2026-03-02T18:04:11.482000Z'
    """
    text = (_EPOCH + timedelta(microseconds=at)).isoformat(timespec="microseconds")
    return f"{text}Z"


def round_view(
    round_id: str, version: int, round_: Round, player: str, *, waits: bool = False
) -> dict[str, Any]:
    """Return a round as `player` sees it; nothing is legal while it `waits`."""
    opened, table = round_.opened, round_.opened.table
    active = round_.active_hand
    decided, closed = round_.decided_at, round_.closed_at
    over = decided is not None or closed is not None
    cap = table.max_win
    return {
        "id": round_id,
        "table_id": table.table_id,
        "table_version": table.version,
        "currency": opened.currency,
        "version": version,
        "status": WAITS if waits else round_.status,
        "opened_at": time_text(opened.opened_at),
        "expires_at": time_text(opened.expires_at),
        "on_expiry": table.on_expiry,
        "decided_at": None if decided is None else time_text(decided),
        "closed_at": None if closed is None else time_text(closed),
        "shuffler": opened.shuffler,
        "commitment": opened.commitment,
        "stake": round_.stake,
        "payout": round_.payout if over else None,
        "max_win": cap and {"amount": opened.max_win, "basis": cap.basis},
        "dealer": dealer_view(round_),
        "boxes": [box_view(round_, box, player) for box in round_.boxes],
        "hands": [hand_view(round_, hand, active) for hand in round_.hands],
        "active_hand": active and active.name,
        "legal_actions": [] if waits else legal_view(round_, player),
    }


def seen_view(seen: Seen, player: str) -> dict[str, Any]:
    """Return a round that was read, as `player` sees it."""
    return round_view(seen.round_id, seen.version, seen.round, player, waits=seen.waits)


def affordable_view(round_: Round, player: str, most: int) -> list[dict[str, Any]]:
    """Return the requests that the round accepts and that cost `most` at most."""
    return [view for view in legal_view(round_, player) if view["cost"] <= most]


def legal_view(round_: Round, player: str) -> list[dict[str, Any]]:
    """Return the requests that the round accepts from `player` now."""
    return [_legal(action) for action in legal_actions(round_, player)]


def _legal(action: LegalAction) -> dict[str, Any]:
    match action:
        case LegalAction("insure", _, _, boxes, cost):
            return {"command": "insure", "boxes": list(boxes or ()), "cost": cost}
        case LegalAction("act", hand, act, _, cost, most):
            view = {"command": "act", "hand": hand, "action": act, "cost": cost}
            return view if most is None else {**view, "max_payout": most}
        case _:
            return {"command": action.command, "cost": action.cost}


def dealer_view(round_: Round) -> dict[str, Any]:
    """Return what is seen of the dealer."""
    total, upcard = total_of(round_.dealer), round_.dealer[0]
    hole_card = "none" if round_.hole_place is None else "face_down"
    natural = round_.natural
    if natural is None and not (is_ace(upcard) or is_ten(upcard)):
        natural = False  # nothing to peek for
    return {
        "cards": list(round_.dealer),
        "hole_card": "revealed" if len(round_.dealer) > 1 else hole_card,
        "total": total.points,
        "soft": total.soft,
        "natural": natural,
    }


def box_view(round_: Round, box: Box, player: str) -> dict[str, Any]:
    """Return a box and its bets, as `player` sees them."""
    bonus = box.bonus
    return {
        "box": box.box,
        "mine": box.player == player,
        "wager": box.wager,
        "raised_from": box.raised_from,
        "bonus_wager": box.bonus_wager,
        "insurance": _insurance(round_, box),
        "jackpot": box.jackpot
        and {"id": box.jackpot.jackpot_id, "amount": box.jackpot.amount},
        "bonus": bonus
        and {"line": bonus.line, "payout": bonus.payout, "jackpot": bonus.jackpot},
    }


def _insurance(round_: Round, box: Box) -> dict[str, Any] | None:
    if not is_ace(round_.dealer[0]):
        return None
    if box.insurance is None:
        # A round that expired meanwhile waits for no answer any more.
        status = "open" if round_.status == "insurance" else "declined"
    elif box.insurance == 0:
        status = "declined"
    elif box.insurance_payout is None:
        status = "taken"
    else:
        status = "won" if box.insurance_payout else "lost"
    stake, payout = box.insurance or 0, box.insurance_payout
    return {"status": status, "stake": stake, "payout": payout}


def hand_view(round_: Round, hand: Hand, active: Hand | None) -> dict[str, Any]:
    """Return a hand; of all of them one may be active."""
    status: str = hand.state
    if hand.result is not None:
        status = "resolved"
    elif status == "open":
        status = "active" if hand is active else "waiting"
    resolved = hand.result is not None
    return {
        "hand": hand.name,
        "box": hand.box,
        "cards": list(hand.cards),
        "total": hand.total.points,
        "soft": hand.total.soft,
        "natural": is_natural(round_, hand),
        "wager": hand.wager,
        "stake": hand.stake,
        "doubled": hand.stake != hand.wager,
        "status": status,
        "result": hand.result,
        "payout": hand.payout - hand.withheld if resolved else None,
        "withheld": hand.withheld if resolved else None,
    }


def events_view(step: Step, player: str) -> list[dict[str, Any]]:
    """Return the events of one command as `player` sees them."""
    at, version = time_text(step.at), step.version
    return [
        {
            "seq": seq,
            "version": version,
            "at": at,
            "type": _TYPES[type(event)],
            **_fields(event, player),
        }
        for seq, event in enumerate(step.events, start=step.first_seq)
    ]


def _fields(event: Event, player: str) -> dict[str, Any]:
    match event:
        case RoundOpened():
            return _opened(event, player)
        case RoundVoided():
            refunds = [refund._asdict() for refund in event.refunds]
            return {"payout": event.payout, "refunds": refunds}
        case RoundSettled():
            return {"payout": event.payout}
        case RoundMalfunctioned():
            return {"reason": event.reason, "correction": event.correction}
        case RoundDecided():
            return {}
        case _:
            return event._asdict()


def _opened(event: RoundOpened, player: str) -> dict[str, Any]:
    fields = event._asdict()
    table: TableRules = fields.pop("table")
    return {
        "table_id": table.table_id,
        "table_version": table.version,
        **fields,
        "opened_at": time_text(event.opened_at),
        "expires_at": time_text(event.expires_at),
        "boxes": [
            {
                "box": box.box,
                "mine": box.player == player,
                "wager": box.wager,
                "raised_from": box.raised_from,
                "bonus_wager": box.bonus_wager,
            }
            for box in event.boxes
        ],
    }
