"""Malfunction: an operator takes a round back, whatever it has come to (decision 24).

The stakes come back, what was paid is taken back as far as the player has it, and the
rest is noted as owed. A jackpot that the round has reserved is given back to its meter
from here.
"""

import hashlib
from functools import partial
from typing import Final, NoReturn

from service.answers import Answer, answer_again, answer_now, seen_in
from service.house import House
from service.recorded import Ask, Seen
from service.refusals import NotAllowed
from service.rules.commands import Malfunction, Refused
from service.rules.decide import decide
from service.rules.fold import fold
from service.store.errors import DatabaseUnavailable, KeyUsed, LostRace
from service.store.rows import Loaded
from service.wallet.port import Accepted

KEY: Final = "operator:malfunction:"
"""What the keys of these rows begin with: no player's key has a colon."""
# A player who plays on meanwhile is faster once or twice, not for ever.
_TRIES: Final = 10


class _NoShoe:
    """A malfunction draws no card; the shoe may be what is broken."""

    def card_at(self, place: int) -> NoReturn:
        raise AssertionError(place)


def malfunction(house: House, ask: Ask, round_id: str, reason: str) -> Answer:
    """Take a round back, once. A command that waits for its stake comes to nothing.

    The row's key is the round's, and `ask.key` a part of what was asked. Raises
    RoundNotFound, NotAllowed for a round that was taken back before, with another key
    or reason, or DatabaseUnavailable, for one that is played too fast, too; after that
    the same key finds out.
    """
    request = hashlib.sha256(ask.request + ask.key.encode()).digest()
    ask = ask._replace(key=f"{KEY}{round_id}", request=request, by="operator")
    for _ in range(_TRIES):
        loaded = house.load(ask.account, round_id, None)
        seen = seen_in(round_id, loaded.rows, house.catalog.versions())
        last = loaded.rows[-1]
        if (last.key, last.req) == (ask.key, request):
            return answer_again(seen, seen.steps[-1])
        try:
            return _taken_back(house, ask, loaded, seen, reason)
        except (LostRace, KeyUsed):
            continue
    raise DatabaseUnavailable("commands on the round were faster each time")


def _taken_back(
    house: House, ask: Ask, loaded: Loaded, seen: Seen, reason: str
) -> Answer:
    """Take a round back as it was read. Raises LostRace, too."""
    last = loaded.rows[-1]
    at = max(loaded.now, last.at)
    command = Malfunction(at, reason)
    try:
        events = tuple(decide(seen.round, command, _NoShoe()))
    except Refused as refused:
        raise NotAllowed(refused, seen) from None
    wallet = house.wallet(ask)
    wallet.give_up(ask.account, seen.round_id)
    after = fold(events, seen.round)
    place = (seen.round_id, command, last, at)
    accepted = Accepted(ask, *place, seen.round, after, events, None)
    if any(box.jackpot for box in seen.round.boxes):
        back = partial(house.meters.give_back, ask.account, seen.round_id)
        accepted = accepted._replace(also=back)
    before = seen.steps[-1]
    first_seq = before.first_seq + len(before.events)
    return answer_now(accepted, wallet.carry(accepted), first_seq)
