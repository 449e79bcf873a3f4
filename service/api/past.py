"""Rounds of the past as a player sees them: an item of his history, and a replay."""

from typing import Any, Final

from service.api.views import (
    box_view,
    dealer_view,
    events_view,
    hand_view,
    round_view,
    time_text,
)
from service.history import Past, Shown, balance_after, balance_before
from service.recorded import Seen
from service.rules.round import Hand, Round
from service.store.history import Result

_ENDED: Final = ("void", "malfunction")
_NOTHING: Final = dict.fromkeys(
    ("max_win", "balance_before", "balance_after", "dealer", "boxes", "hands")
)


def past_view(past: Past, player: str) -> dict[str, Any]:
    """Return a round that has ended, as one item whatever was done in it.

    Of one whose log is in an archive that is not to be had here, it is what the list of
    rounds knows.
    """
    row = past.row
    returned = row.payout or 0
    return {
        "round_id": row.round_id,
        "table_id": row.table_id,
        "table_version": row.table_version,
        "currency": row.currency,
        "status": status_of(row.status, row.ended_by),
        "result": result_of(row.stake, returned),
        "opened_at": time_text(row.opened_at),
        "closed_at": row.closed_at and time_text(row.closed_at),
        "staked": row.stake,
        "returned": returned,
        "net": returned - row.stake,
        "archived": row.archived_in is not None,
        **(_NOTHING if past.seen is None else _details(past.seen, player)),
    }


def _details(seen: Seen, player: str) -> dict[str, Any]:
    round_ = seen.round
    cap = round_.opened.table.max_win
    return {
        "max_win": cap and {"amount": round_.opened.max_win, "basis": cap.basis},
        "balance_before": balance_before(seen),
        "balance_after": balance_after(seen),
        "dealer": dealer_view(round_),
        "boxes": [box_view(round_, box, player) for box in round_.boxes],
        "hands": [_hand(hand, round_) for hand in round_.hands],
    }


def status_of(status: str, ended_by: str | None) -> str:
    """Return how a round ended: its player's doing, or whose else.

    One that a job or an operator had to pay is `interrupted`: its player never came
    for it.
    """
    if status == "settled":
        return "complete" if ended_by == "player" else "interrupted"
    return status if status in _ENDED else "open"


def result_of(staked: int, returned: int) -> Result:
    """Return what the round came to for its player, insurance and bonus included."""
    if returned == staked:
        return "even"
    return "won" if returned > staked else "lost"


def replay_view(round_id: str, shown: list[Shown], player: str) -> dict[str, Any]:
    """Return a round step by step, marked as nothing that goes on now."""
    step, round_ = shown[-1]
    return {
        "replay": True,
        "round_id": round_id,
        "version": step.version,
        "status": status_of(round_.status, step.by or "player"),
        "steps": [_step(round_id, one, player) for one in shown],
    }


def _step(round_id: str, shown: Shown, player: str) -> dict[str, Any]:
    step, round_ = shown
    return {
        "version": step.version,
        "at": time_text(step.at),
        "by": step.by or "player",
        "balance": step.balance,
        "events": events_view(step, player),
        "round": round_view(round_id, step.version, round_, player),
    }


def _hand(hand: Hand, round_: Round) -> dict[str, Any]:
    view = hand_view(round_, hand, None)
    del view["status"]
    return {
        **view,
        "split": hand.split != "no",
        "computed": None if hand.result is None else hand.payout,
    }
