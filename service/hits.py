"""The command whose card hits a jackpot: written together with the meter's reset.

Nearly every command hits nothing and goes to the wallet as it is. The one that draws
the deciding ace locks the meter, takes what it holds, and is decided again with that;
the row, the meter and the hit are one transaction. If another command was faster, the
meter is as it was.
"""

from collections.abc import Callable

from service.house import House
from service.meter import Jackpot, Shown
from service.rules.cards import Shoe
from service.rules.commands import Act, Prize
from service.rules.decide import decide
from service.rules.events import JackpotReserved
from service.rules.fold import fold
from service.rules.settle import hits_jackpot
from service.store.jackpots import Hit, add_hit
from service.store.significant import PLAYER, Significant, note
from service.wallet.ledger import row_of, write
from service.wallet.port import Accepted, Carried

OpenShoe = Callable[[], Shoe]
"""Opens the sealed shoe of a round once more."""


def carry(house: House, accepted: Accepted, shoe: OpenShoe) -> tuple[Accepted, Carried]:
    """Write a command and move its money; return it as it was written.

    A hit is told by its last event but not before: what the meter holds is known when
    it is locked. Demo money is paid what is shown, and leaves the meter alone. Raises
    as `Wallet.carry` says.
    """
    jackpot = _hit_by(house, accepted)
    if jackpot is None:
        return accepted, house.wallet(accepted.ask).carry(accepted)
    if accepted.ask.mode == "real":
        return _reserved(house, accepted, shoe, jackpot)
    shown = house.meters.shown(accepted.ask.operator, jackpot)
    told = _decided_with(Prize(*shown), accepted, shoe())
    return told, house.wallet(told.ask).carry(told)


def shown_at(house: House, accepted: Accepted) -> Accepted:
    """Return a command whose reply shows the table's jackpot, if it has one.

    Raises DatabaseUnavailable.
    """
    jackpot = _jackpot_of(house, accepted)
    if jackpot is None:
        return accepted
    shown: Shown = house.meters.shown(accepted.ask.operator, jackpot)
    return accepted._replace(shown=shown)


def _jackpot_of(house: House, accepted: Accepted) -> Jackpot | None:
    opened = accepted.after.opened
    return house.meters.of(opened.table.table_id, opened.currency)


def _hit_by(house: House, accepted: Accepted) -> Jackpot | None:
    """Return the jackpot that a command has hit, None for one that has not.

    Only the card that it draws counts: aces that fell while the table had no jackpot
    are paid as the paytable says, and another hand's command must not reserve for them.
    """
    before, after = accepted.before, accepted.after
    if not isinstance(accepted.command, Act) or before is None:
        return None
    boxes = zip(before.boxes, after.boxes, strict=True)
    if not any(
        hits_jackpot(after, now) and not hits_jackpot(before, then)
        for then, now in boxes
    ):
        return None
    return _jackpot_of(house, accepted)


def _reserved(
    house: House, accepted: Accepted, shoe: OpenShoe, jackpot: Jackpot
) -> tuple[Accepted, Carried]:
    database, operator = house.database, accepted.ask.operator
    with database.transaction():
        amount = house.meters.reserve(operator, jackpot)
        prize = Prize(jackpot.jackpot_id, amount)
        told = _decided_with(prize, accepted, shoe())
        row = row_of(told, None)
        write(database, told, row, None, ())
        for event in told.events:
            if isinstance(event, JackpotReserved):
                add_hit(database, _hit(told, event))
                note(database, _noted(told, event))
    house.meters.forget(operator, jackpot.jackpot_id)
    return told, Carried(row, None)


def _decided_with(prize: Prize, accepted: Accepted, shoe: Shoe) -> Accepted:
    """Decide a command again, now that it is known what the jackpot pays."""
    assert isinstance(accepted.command, Act), "only an action draws a fourth card"
    command = accepted.command._replace(jackpot=prize)
    events = tuple(decide(accepted.before, command, shoe))
    after = fold(events, accepted.before)
    return accepted._replace(command=command, events=events, after=after)


def _hit(told: Accepted, event: JackpotReserved) -> Hit:
    where = (told.ask.account, told.round_id, event.box, told.version)
    what = (told.ask.operator, event.jackpot_id, event.amount, told.at)
    return Hit(*where, *what)


def _noted(told: Accepted, event: JackpotReserved) -> Significant:
    ask = told.ask
    return Significant(
        kind="jackpot_won",
        at=told.at,
        who=PLAYER,
        operator=ask.operator,
        account=ask.account,
        player=ask.player,
        mode=ask.mode,
        round_id=told.round_id,
        ver=told.version,
        data={**event._asdict(), "currency": told.after.opened.currency},
    )
