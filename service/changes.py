"""Changes that people make, each in one transaction with the event that tells of it.

What was so before is read with its row locked, so that of two who change the same thing
each tells what he found. A change that changes nothing is no event.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from service.meter import Jackpot, Meter
from service.meters import Meters
from service.offers import check_offers
from service.rules.table import TableRules
from service.store import keys, operators, standing
from service.store.database import Database, clock
from service.store.jackpot_versions import save_jackpot_version
from service.store.jackpots import make_meter
from service.store.keys import OperatorKey
from service.store.operators import Offer, OperatorRow
from service.store.removal import REAL, delete_operator, retire_operator, traces
from service.store.significant import Kind, Significant, note
from service.store.tables import all_table_versions, save_table_version

EVERYBODY: Final = "*"
Place = tuple[str, str]
"""Operator and jackpot."""
Json = Mapping[str, Any]


class Actor(NamedTuple):
    """Who makes a change, "operator:<key id>" or "cli:<user>", and why."""

    who: str
    why: str | None = None


class OperatorGone(Exception):
    """There is no such operator, or it is retired."""


class HasTraces(Exception):
    """An operator has left what must stay with it; `left` says what."""

    def __init__(self, left: Sequence[str]) -> None:
        super().__init__(", ".join(left))
        self.left = left


class LastWalletKey(Exception):
    """No other key would sign what a wallet is asked: no stake, no payout."""


def stop(db: Database, actor: Actor, operator: str, player: str, why: str) -> None:
    """Take no new money of a player; "*" stands for all players, or all operators.

    Raises DatabaseUnavailable; it may be so.
    """
    with db.transaction():
        before = standing.stop(db, operator, player, why)
        if before != why:
            about = _about_stop(db, actor, operator, player, "stopped")
            was = None if before is None else {"why": before}
            after = {"why": why}
            note(db, about._replace(before=was, after=after, why=why))


def start(db: Database, actor: Actor, operator: str, player: str) -> bool:
    """Take back a `stop` of these very words; False when there is none.

    Raises DatabaseUnavailable; it may be so.
    """
    with db.transaction():
        before = standing.start(db, operator, player)
        if before is not None:
            about = _about_stop(db, actor, operator, player, "started")
            note(db, about._replace(before={"why": before}))
    return before is not None


def change_offer(
    db: Database, actor: Actor, offer: Offer, change: Callable[[Offer], Offer]
) -> Offer:
    """Change what is offered of the table and currency of an `offer`; return it then.

    `change` is given what is in force, and may raise to leave it so. Raises
    DatabaseUnavailable; it may be changed.
    """
    with db.transaction():
        before = operators.hold_offer(db, *offer[:3])
        after = change(before)
        operators.set_offer(db, after)
        if after != before:
            note(db, _offer_changed(db, actor, before, after))
    return after


def disable_table(db: Database, actor: Actor, operator: str, table: TableRules) -> None:
    """Offer a table to none of an operator's players, in no currency.

    Raises DatabaseUnavailable; some of it may be done.
    """
    for currency in sorted(table.limits):
        offer = Offer(operator, table.table_id, currency)
        change_offer(db, actor, offer, lambda held: held._replace(enabled=False))


def add_operator(
    db: Database, actor: Actor, row: OperatorRow, made: Iterable[OperatorKey] = ()
) -> bool:
    """Add an operator with keys; False when there is one of that name.

    Raises DatabaseUnavailable.
    """
    with db.transaction():
        if not operators.add_operator(db, row):
            return False
        after = _told(row)
        about = _about(db, actor, "operator_added", row.operator)
        note(db, about._replace(after=after))
        for key in made:
            _add_key(db, actor, key)
    return True


def set_wallet(
    db: Database, actor: Actor, row: OperatorRow, made: Iterable[OperatorKey] = ()
) -> None:
    """Put the wallet of an operator and its address in force, perhaps with a new key.

    Raises HasTraces when another would keep the money than keeps it now, OperatorGone,
    or DatabaseUnavailable; it may be so.
    """
    with db.transaction():
        before = _held(db, row.operator)
        kept = [name for name in traces(db, row.operator) if name in REAL]
        if before.wallet != row.wallet and kept:
            raise HasTraces(kept)
        operators.set_wallet(db, row)
        names = ("wallet", "wallet_url")
        was, now = ({n: getattr(one, n) for n in names} for one in (before, row))
        if was != now:
            about = _about(db, actor, "operator_changed", row.operator)
            note(db, about._replace(before=was, after=now))
        for key in made:
            _add_key(db, actor, key)


def remove_operator(db: Database, actor: Actor, operator: str) -> bool:
    """Remove an operator; True: it had a past as a sandbox, and was retired instead.

    Raises HasTraces, OperatorGone or DatabaseUnavailable; it may be so.
    """
    with db.transaction():
        before = _held(db, operator)
        left = traces(db, operator)
        if left and (not before.sandbox or set(left) & set(REAL)):
            raise HasTraces(left)
        end = retire_operator if left else delete_operator
        end(db, operator)
        about = _about(db, actor, "operator_changed", operator)
        was = _told(before)
        now = _told(before._replace(retired=True)) if left else None
        note(db, about._replace(before=was, after=now))
    return bool(left)


def add_key(db: Database, actor: Actor, key: OperatorKey) -> None:
    """Keep a new key. Raises DatabaseUnavailable."""
    with db.transaction():
        _add_key(db, actor, key)


def end_key(db: Database, actor: Actor, operator: str, key_id: str) -> bool:
    """End a key now; False when there is no good one.

    Raises OperatorGone; LastWalletKey when it is the only one that a seamless wallet's
    calls are signed with, and nothing is changed; or DatabaseUnavailable.
    """
    with db.transaction():
        row = _held(db, operator)  # so of two who end two keys, one sees the other
        good = [key for key in keys.good_keys(db) if key.operator == operator]
        wallet = [key.key_id for key in good if key.use == "wallet"]
        if row.wallet == "seamless" and wallet == [key_id]:
            raise LastWalletKey(key_id)
        if not keys.end_key(db, operator, key_id):
            return False
        about = _about(db, actor, "key_ended", operator)
        note(db, about._replace(before={"key_id": key_id, "good": True}))
    return True


def load_table(db: Database, actor: Actor, rules: TableRules, text: str) -> bool:
    """Keep a table version; False when it was kept before.

    Raises TableVersionChanged, OffersAtOdds or DatabaseUnavailable.
    """
    table_id = rules.table_id
    with db.transaction():
        known = [v.version for v in all_table_versions(db) if v.table_id == table_id]
        if not save_table_version(db, table_id, rules.version, text):
            return False
        check_offers(db, rules)
        about = _about(db, actor, "table_loaded", None)
        note(
            db,
            about._replace(
                before={"table_version": known[-1]} if known else None,
                after={"table_version": rules.version},
                data={"table_id": table_id},
            ),
        )
    return True


def load_jackpot(
    db: Database, actor: Actor, jackpot: Jackpot, text: str, before: Jackpot | None
) -> bool:
    """Keep a jackpot's version; False when it was kept before.

    Where one was ``before`` it, each operator's meter goes by that until its next hit.
    Raises JackpotVersionChanged or DatabaseUnavailable.
    """
    with db.transaction():
        for row in operators.all_operators(db) if before else ():
            make_meter(db, Meter.new(row.operator, before or jackpot))
        named = (jackpot.jackpot_id, jackpot.version)
        if not save_jackpot_version(db, *named, text):
            return False
        about = _about(db, actor, "jackpot_changed", None)
        note(
            db,
            about._replace(
                before=before and {"version": before.version},
                after={"version": jackpot.version},
                data={"jackpot_id": jackpot.jackpot_id},
            ),
        )
    return True


def move_overflow(db: Database, actor: Actor, place: Place) -> int:
    """Move what fits of an overflow into its meter; return how much, in minor units.

    Raises DatabaseUnavailable.
    """
    operator, jackpot_id = place
    with db.transaction():
        amount = Meters(db).move_overflow(operator, jackpot_id)
        if amount:
            about = _about(db, actor, "overflow_moved", operator)
            data = {"jackpot_id": jackpot_id, "amount": amount}
            note(db, about._replace(data=data))
    return amount


def _told(row: OperatorRow) -> Json:
    return {k: v for k, v in row._asdict().items() if k != "operator"}


def _held(db: Database, operator: str) -> OperatorRow:
    row = operators.hold_operator(db, operator)
    if row is None or row.retired:
        raise OperatorGone(operator)
    return row


def _add_key(db: Database, actor: Actor, key: OperatorKey) -> None:
    keys.add_key(db, key)
    about = _about(db, actor, "key_added", key.operator)
    note(db, about._replace(after={"key_id": key.key_id, "use": key.use}))


def _offer_changed(
    db: Database, actor: Actor, before: Offer, after: Offer
) -> Significant:
    names = ("enabled", "minimum", "maximum", "exposure")
    was, now = ({n: getattr(offer, n) for n in names} for offer in (before, after))
    data = {"table_id": before.table_id, "currency": before.currency}
    about = _about(db, actor, "offer_changed", before.operator)
    return about._replace(before=was, after=now, data=data)


def _about_stop(
    db: Database, actor: Actor, operator: str, player: str, how: str
) -> Significant:
    kinds: dict[tuple[bool, str], Kind] = {
        (True, "stopped"): "gaming_stopped",
        (True, "started"): "gaming_started",
        (False, "stopped"): "player_stopped",
        (False, "started"): "player_started",
    }
    for_all = player == EVERYBODY
    whose = None if operator == EVERYBODY else operator
    about = _about(db, actor, kinds[for_all, how], whose)
    return about if for_all else about._replace(player=player)


def _about(db: Database, actor: Actor, kind: Kind, operator: str | None) -> Significant:
    return Significant(kind, clock(db), actor.who, operator, why=actor.why)
