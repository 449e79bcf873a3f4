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
from service.rules.round import Hand, Round
from service.store.history import Result

_OPEN: Final = "open"


def past_view(past: Past, player: str) -> dict[str, Any]:
    """Return a round that has ended, as one item whatever was done in it."""
    row, seen = past
    round_ = seen.round
    cap = round_.opened.table.max_win
    return {
        "round_id": row.round_id,
        "table_id": row.table_id,
        "table_version": row.table_version,
        "currency": row.currency,
        "status": status_of(round_, seen.steps[-1].by),
        "result": result_of(round_),
        "opened_at": time_text(row.opened_at),
        "closed_at": row.closed_at and time_text(row.closed_at),
        "staked": round_.stake,
        "returned": round_.payout,
        "net": round_.payout - round_.stake,
        "max_win": cap and {"amount": round_.opened.max_win, "basis": cap.basis},
        "balance_before": balance_before(seen),
        "balance_after": balance_after(seen),
        "dealer": dealer_view(round_),
        "boxes": [box_view(round_, box, player) for box in round_.boxes],
        "hands": [_hand(round_, hand) for hand in round_.hands],
    }


def status_of(round_: Round, by: str | None) -> str:
    """Return how a round ended: its player's doing, or whose else.

    One that a job or an operator had to pay is `interrupted`: its player never saw the
    end of it.
    """
    if round_.closed_at is None:
        return _OPEN
    if round_.status != "settled":
        return round_.status
    return "complete" if by is None else "interrupted"


def result_of(round_: Round) -> Result:
    """Return what the round came to for its player, insurance and bonus included."""
    if round_.payout == round_.stake:
        return "even"
    return "won" if round_.payout > round_.stake else "lost"


def replay_view(round_id: str, shown: list[Shown], player: str) -> dict[str, Any]:
    """Return a round step by step, marked as nothing that goes on now."""
    last = shown[-1]
    return {
        "replay": True,
        "round_id": round_id,
        "version": last.step.version,
        "status": status_of(last.round, last.step.by),
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


def _hand(round_: Round, hand: Hand) -> dict[str, Any]:
    view = hand_view(round_, hand, None)
    del view["status"]
    return {
        **view,
        "split": hand.split != "no",
        "computed": None if hand.result is None else hand.payout,
    }
