"""A player's own limit, and the PIN with which he confirms it."""

from typing import Any

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.problems import Problem
from service.api.reply import Reply, done, private
from service.api.schemas import LIMIT, PIN, LimitBody, PinBody
from service.api.views import time_text
from service.currencies import exponent
from service.limits import OwnLimit, RaiseUsed, change_limit, limit_of
from service.pins import LOCKED_SECONDS, PinLocked, PinNotSet, PinsBusy, PinWrong
from service.refusals import CurrencyMismatch
from service.store.limits import Whose


def get_limit(api: Api, asked: Asked) -> Reply:
    """Show the player's own limit in his token's currency."""
    return private(own_limit_view(api, asked))


def set_limit(api: Api, asked: Asked) -> Reply:
    """Change the player's own limit, confirmed by his PIN."""
    wished: LimitBody = LIMIT.load(asked.body)
    caller = asked.player
    if wished.currency != caller.currency:
        raise CurrencyMismatch(caller.currency, wished.currency)
    _confirm(api, asked, wished.pin)
    try:
        limit = change_limit(api.database, api.weeks, _whose(asked), wished.maximum)
    except RaiseUsed as used:
        again = time_text(used.again_at)
        detail = f"A raise was asked for this week; the next one may be from {again}."
        raise Problem("limit_raise_used", detail, raise_from=again) from None
    return private(_view(asked, limit))


def set_pin(api: Api, asked: Asked) -> Reply:
    """Set the PIN of an operator's player, or take it away."""
    body: PinBody = PIN.load(asked.body)
    try:
        api.pins.set(asked.actor, asked.operator, asked.path["player_id"], body.pin)
    except PinsBusy:
        raise _busy() from None
    return done()


def own_limit_view(api: Api, asked: Asked) -> dict[str, Any]:
    """Return the player's own limit as it stands now."""
    return _view(asked, limit_of(api.database, api.weeks, _whose(asked)))


def _confirm(api: Api, asked: Asked, pin: str) -> None:
    """See that it is the player's PIN."""
    caller = asked.player
    try:
        api.pins.check(caller.operator, caller.player, pin)
    except PinNotSet:
        detail = "The player has no PIN yet; his casino sets one."
        raise Problem("pin_not_set", detail) from None
    except PinWrong as wrong:
        left = wrong.tries_left
        detail = f"That is another PIN; {_tries(left)}."
        raise Problem("pin_wrong", detail, tries_left=left) from None
    except PinLocked as locked:
        detail = f"The PIN was wrong too often; try again in {locked.seconds} seconds."
        headers = {"Retry-After": str(locked.seconds)}
        raise Problem("pin_locked", detail, headers=headers) from None
    except PinsBusy:
        raise _busy() from None


def _tries(left: int) -> str:
    """Say how often another PIN may be tried.

    >>> _tries(2), _tries(1), _tries(0)
    ('2 tries are left', '1 try is left', 'none is looked at for 15 minutes now')
    """
    if not left:
        return f"none is looked at for {LOCKED_SECONDS // 60} minutes now"
    return "1 try is left" if left == 1 else f"{left} tries are left"


def _busy() -> Problem:
    detail = "Others' PINs are looked at just now; try again in a second."
    return Problem("pin_busy", detail, headers={"Retry-After": "1"})


def _whose(asked: Asked) -> Whose:
    caller = asked.player
    return Whose(caller.operator, caller.player, caller.currency)


def _view(asked: Asked, limit: OwnLimit) -> dict[str, Any]:
    waits = limit.waits_until
    return {
        "currency": asked.player.currency,
        "exponent": exponent(asked.player.currency),
        "maximum": limit.maximum,
        "since": _time(limit.since),
        "waiting": None
        if waits is None
        else {"maximum": limit.waiting, "from": time_text(waits)},
        "raise_from": _time(limit.raise_from),
    }


def _time(at: int | None) -> str | None:
    return None if at is None else time_text(at)
