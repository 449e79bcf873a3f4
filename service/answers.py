"""What a command did, and how a repeated one is answered out of the log."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from service.meter import Shown
from service.recorded import Ask, Seen, Step, seen_of, steps_of
from service.refusals import KeyReused, RoundNotFound
from service.rules.events import Event
from service.rules.round import Round
from service.rules.table import TableRules
from service.store.rows import LogRow
from service.wallet.port import Accepted, Carried, Wallet


class Answer(NamedTuple):
    """What a command did, or did when it was first sent (``replayed``).

    ``balance`` is what the player had after it, in minor units, where money moved;
    ``jackpot`` is the meter that was shown, where one was.
    """

    round_id: str
    version: int
    round: Round
    events: tuple[Event, ...]
    first_seq: int
    at: int
    balance: int | None
    replayed: bool
    jackpot: Shown | None = None


def answer_again(seen: Seen, step: Step) -> Answer:
    """Return the answer of a step that made the round what it is, once more."""
    return Answer(
        round_id=seen.round_id,
        version=seen.version,
        round=seen.round,
        events=step.events,
        first_seq=step.first_seq,
        at=step.at,
        balance=step.balance,
        replayed=True,
        jackpot=step.jackpot,
    )


def answer_now(accepted: Accepted, carried: Carried, first_seq: int) -> Answer:
    """Return the answer of a command that was written just now."""
    row, balance = carried
    return Answer(
        round_id=accepted.round_id,
        version=row.ver,
        round=accepted.after,
        events=accepted.events,
        first_seq=first_seq,
        at=row.at,
        balance=balance,
        replayed=False,
        jackpot=accepted.shown,
    )


def with_balance(answer: Answer, wallet: Wallet, ask: Ask) -> Answer:
    """Add what the wallet told of a command's money after the command was written."""
    where = (ask.account, answer.round_id, answer.version)
    told = wallet.balance_after(*where)
    return answer if told is None else answer._replace(balance=told)


def seen_in(
    round_id: str, rows: Sequence[LogRow], versions: Mapping[str, TableRules]
) -> Seen:
    """Return the round that rows tell of. Raises RoundNotFound without any."""
    if not rows:
        raise RoundNotFound(round_id)
    return seen_of(round_id, steps_of(rows, versions))


def repeat_of(ask: Ask, rows: Sequence[LogRow], seen: Seen) -> Answer | None:
    """Return the answer that a repeated command had, None when it is a new one.

    Raises KeyReused when its key stands for another request.
    """
    for row in rows:
        if row.key == ask.key and row.player == ask.player:
            if row.req != ask.request:
                raise KeyReused(ask.key)
            then = seen_of(seen.round_id, seen.steps[: row.ver])
            return answer_again(then, then.steps[-1])
    return None


def settlement_of(seen: Seen) -> Answer | None:
    """Return the answer of a round's settlement, None when it has had none."""
    settled = seen.round.status == "settled"
    return answer_again(seen, seen.steps[-1]) if settled else None
