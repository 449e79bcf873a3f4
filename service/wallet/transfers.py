"""The calls that a command makes to an operator's wallet, as rows to be written.

An id is made of what the call is for, so whoever makes the same call again gives it the
same id.
"""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from service.rules.commands import Act, BoxWager, Deal, Insure
from service.rules.round import Round
from service.store.transfers import Kind, Transfer
from service.wallet.move import REFUND, Move, Part, totals_of
from service.wallet.port import Accepted, DealTerms, Pending

_TRANSFERS: Final = uuid.uuid5(uuid.NAMESPACE_URL, "urn:upcard:transfer")
"""Never change it: a wallet knows a call by its id, and a repeat must have the same."""


def debit_of(accepted: Accepted, move: Move, attempt: int) -> Transfer:
    """Return the debit of a command; `attempt` counts those that came to nothing."""
    amount = move.stake
    debit = _transfer(accepted, "debit", move.purpose, amount, move.stakes, attempt)
    ask = accepted.ask
    return debit._replace(key=ask.key, request=ask.request, command=_kept(accepted))


def rollback_of(debit: Transfer) -> Transfer:
    """Return the rollback of a debit, whether the wallet has seen that or not."""
    return debit._replace(
        transfer_id=_id(debit.transfer_id, "rollback"),
        kind="rollback",
        debit=debit.transfer_id,
        key=None,
        request=None,
        command=None,
        status="requested",
        said=None,
        tries=0,
    )


def owed_by(
    accepted: Accepted, move: Move, debits: Sequence[Transfer]
) -> list[Transfer]:
    """Return what a command owes the player, and the end of its round, in order.

    A stake that was never decided is a refund of the `debits` that took it. All say the
    session in which the round began, whoever ends it; a correction says none.
    """
    won = [part for part in move.payouts if part.what != REFUND]
    owed = list(_refunds(accepted, move, debits))
    if won:
        amount = sum(part.amount for part in won)
        owed.append(_transfer(accepted, "credit", move.purpose, amount, won))
    if move.corrections:
        parts = (move.purpose, move.correction, move.corrections)
        owed.append(_transfer(accepted, "correction", *parts))
    if move.ends:
        totals = list(_totals(accepted.after))
        owed.append(_transfer(accepted, "end", accepted.after.status, 0, totals))
    began = next((debit.session for debit in debits), None)
    return [
        one._replace(session=None if one.kind == "correction" else began)
        for one in owed
    ]


def pending_of(debit: Transfer) -> Pending:
    """Return the command that a debit waits for."""
    assert debit.key is not None, "a debit keeps its command's key"
    assert debit.request is not None, "a debit keeps its command's digest"
    assert debit.command is not None, "a debit keeps its command"
    kept = orjson.loads(debit.command)
    terms = kept.get("terms")
    return Pending(
        round_id=debit.round_id,
        version=debit.ver,
        player=debit.player,
        key=debit.key,
        request=debit.request,
        at=debit.made_at,
        terms=terms and DealTerms(boxes_of(debit, kept), *terms),
    )


def boxes_of(debit: Transfer, kept: Mapping[str, Any]) -> tuple[BoxWager, ...]:
    """Return the wagers of a deal that a debit keeps: what they were resolved to."""
    return tuple(
        BoxWager(box, debit.player, wager, bonus) for box, wager, bonus in kept["boxes"]
    )


def _kept(accepted: Accepted) -> bytes:
    """Return what it takes to give the command again."""
    match accepted.command:
        case Deal() as deal:
            opened = accepted.after.opened
            kept: dict[str, Any] = {
                "command": "deal",
                "boxes": [[bet.box, bet.wager, bet.bonus_wager] for bet in deal.boxes],
                "raise_to_minimum": deal.raise_to_minimum,
                "terms": [opened.table.version, opened.minimum, opened.maximum],
            }
        case Insure() as insure:
            kept = {"command": "insure", "boxes": list(insure.boxes)}
        case Act() as act:
            kept = {"command": "act", "hand": act.hand, "action": act.action}
        case _:
            raise AssertionError("no other command has a stake")
    return orjson.dumps(kept)


def _refunds(
    accepted: Accepted, move: Move, debits: Sequence[Transfer]
) -> Iterator[Transfer]:
    """Yield the parts of debits that come back, of the latest debits first."""
    back: dict[int, int] = {}
    for part in move.payouts:
        if part.what == REFUND:
            back[part.box] = back.get(part.box, 0) + part.amount
    confirmed = [debit for debit in debits if debit.status == "confirmed"]
    for number, debit in enumerate(reversed(confirmed)):
        parts = []
        for line in orjson.loads(debit.lines):
            amount = min(line["amount"], back.get(line["box"], 0))
            if amount:
                back[line["box"]] -= amount
                parts.append(Part(line["box"], line["what"], amount))
        if parts:
            total = sum(part.amount for part in parts)
            refund = _transfer(accepted, "refund", move.purpose, total, parts, number)
            yield refund._replace(debit=debit.transfer_id)
    assert not any(back.values()), "what comes back was taken before"


def _totals(round_: Round) -> Iterator[Part]:
    """Yield what each box staked in the whole round, and what it was paid."""
    for box, stake, paid in totals_of(round_):
        yield Part(box, "stake", stake)
        yield Part(box, "payout", paid)


def _transfer(  # noqa: PLR0913, PLR0917 - what a call says, in its order
    accepted: Accepted,
    kind: Kind,
    purpose: str,
    amount: int,
    parts: Iterable[Part],
    number: int = 0,
) -> Transfer:
    ask, opened = accepted.ask, accepted.after.opened
    place = f"{accepted.round_id}:{accepted.version}"
    return Transfer(
        account=ask.account,
        transfer_id=_id(place, f"{kind}:{purpose}:{number}"),
        operator=ask.operator,
        player=ask.player,
        session=ask.session,
        kind=kind,
        purpose=purpose,
        round_id=accepted.round_id,
        ver=accepted.version,
        table_id=opened.table.table_id,
        currency=opened.currency,
        amount=amount,
        lines=orjson.dumps([part._asdict() for part in parts]),
        debit=None,
        key=None,
        request=None,
        command=None,
        made_at=accepted.at,
    )


def _id(place: str, what: str) -> str:
    return str(uuid.uuid5(_TRANSFERS, f"{place}:{what}"))
