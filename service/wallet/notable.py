"""What of a command is significant: it is noted in the statement that writes it."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from service.recorded import Ask
from service.rules.events import (
    RoundMalfunctioned,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    WinCapped,
)
from service.store.significant import JOB, PLAYER, Kind, Significant
from service.store.transfers import Transfer
from service.wallet.port import Accepted

MULTIPLE: Final = 10
"""A win of so many times the largest wager is a large one, unless a casino says."""


class Watch(NamedTuple):
    """From what on a win is a large one: what a round paid less what it staked.

    ``amounts`` are in minor units by currency. In any other currency it is ``multiple``
    times the largest wager of a box that was in force at the table.
    """

    multiple: int = MULTIPLE
    amounts: Mapping[str, int] = MappingProxyType({})

    def least(self, opened: RoundOpened) -> int:
        """Return what a large win is at least in a round."""
        return self.amounts.get(opened.currency, self.multiple * opened.maximum)


def notes_of(
    accepted: Accepted, watch: Watch, owed: int = 0
) -> tuple[Significant, ...]:
    """Return what a command makes significant; most make nothing.

    ``owed`` is what could not be taken back of a player who has too little.
    """
    if accepted.after.decided_at is None and accepted.after.closed_at is None:
        return ()  # a hit, a stand: nothing has come of it yet
    return tuple(_notes(accepted, watch, owed))


def owed_note(correction: Transfer, now: int) -> Significant:
    """Return the event of a correction that the operator's wallet refused."""
    return Significant(
        kind="money_owed",
        at=now,
        who=JOB,
        operator=correction.operator,
        account=correction.account,
        player=correction.player,
        mode="real",
        round_id=correction.round_id,
        ver=correction.ver,
        data={"currency": correction.currency, "amount": -correction.amount},
    )


def _notes(accepted: Accepted, watch: Watch, owed: int) -> Iterator[Significant]:
    before, after = accepted.before, accepted.after
    was = {"status": before.status, "payout": before.payout} if before else None
    now = {"status": after.status, "payout": after.payout}
    cut = {e.hand: e.withheld for e in accepted.events if isinstance(e, WinCapped)}
    if cut:
        data = {"hands": cut, "withheld": sum(cut.values())}
        yield _note(accepted, "win_capped", data)
    for event in accepted.events:
        match event:
            case RoundSettled():
                yield from _large(accepted, watch)
            case RoundVoided():
                data = {"stake": after.stake, "payout": after.payout}
                note = _note(accepted, "round_voided", data)
                yield note._replace(before=was, after=now, why="expired")
                yield from _large(accepted, watch)
            case RoundMalfunctioned(_, reason, correction):
                data = {"stake": after.stake, "correction": correction, "owed": owed}
                note = _note(accepted, "round_malfunction", data)
                yield note._replace(before=was, after=now, why=reason)
            case _:
                pass
    if owed:
        yield _note(accepted, "money_owed", {"amount": owed})


def _large(accepted: Accepted, watch: Watch) -> Iterator[Significant]:
    round_ = accepted.after
    least = watch.least(round_.opened)
    if round_.payout - round_.stake >= least:
        data = {"stake": round_.stake, "payout": round_.payout, "least": least}
        yield _note(accepted, "large_win", data)


def _note(accepted: Accepted, kind: Kind, data: dict[str, Any]) -> Significant:
    ask, opened = accepted.ask, accepted.after.opened
    table = opened.table
    about = {
        "currency": opened.currency,
        "table_id": table.table_id,
        "table_version": table.version,
    }
    return Significant(
        kind=kind,
        at=accepted.at,
        who=_who(ask),
        operator=ask.operator,
        account=ask.account,
        player=ask.player,
        mode=ask.mode,
        round_id=accepted.round_id,
        ver=accepted.version,
        data={**about, **data},
    )


def _who(ask: Ask) -> str:
    if ask.by is None:
        return PLAYER
    return ask.signed_by or (JOB if ask.by == "job" else ask.by)
