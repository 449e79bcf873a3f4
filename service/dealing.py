"""Dealing: who may, under which limits, on which shoe; then the cards."""

from typing import Final, NamedTuple

from service.answers import Answer, answer_again, answer_now, seen_in, with_balance
from service.chance import Shuffler, WholeShoe, new_id
from service.hits import shown_at
from service.house import House
from service.rebet import last_wagers
from service.recorded import Ask
from service.refusals import (
    CurrencyMismatch,
    ExposureExceeded,
    KeyReused,
    NoLastRound,
    NotFunded,
    NotSandbox,
    RoundOpenExists,
    RoundWaits,
    SandboxOnly,
    SessionOver,
    TableDisabled,
    TableNotInSession,
    TableShared,
)
from service.rules.cards import Card
from service.rules.commands import BoxWager, Deal
from service.rules.decide import decide
from service.rules.events import RoundOpened
from service.rules.fold import fold
from service.rules.table import Limits, TableRules
from service.sandbox import Sandbox
from service.store.errors import KeyUsed, LostRace, OpenRoundExists
from service.store.rows import LogRow
from service.store.standing import BeforeDeal, DealRequest, Standing, before_deal
from service.wallet.port import (
    Accepted,
    FundsShort,
    NothingWaits,
    Pending,
    Stopped,
)

# A deal that another one overtakes looks again, and nearly always finds its round.
_TRIES: Final = 3


class Wish(NamedTuple):
    """What a player wants dealt; money in minor units."""

    table_id: str
    currency: str
    boxes: tuple[BoxWager, ...]
    raise_to_minimum: bool
    cards: tuple[Card, ...] = ()
    """What a sandbox lays on top of the shoe."""
    rebet: bool = False
    """Whether `boxes` are to be those of his last round there."""


class Start(NamedTuple):
    """What a round begins with: id, time, rules, limits in force, who shuffles.

    The player's own limit binds him when he asks, and not once more while his stake
    waits.
    """

    round_id: str
    at: int
    table: TableRules
    limits: Limits | None
    shuffler: str
    own_limit: int | None = None


class _Overtaken(Exception):
    """Another deal at the table was faster, or is under way."""

    def __init__(self, round_id: str) -> None:
        super().__init__(round_id)
        self.round_id = round_id


def deal(house: House, ask: Ask, wish: Wish) -> Answer:
    """Open a round on a fresh shoe and deal it, once its stake is taken.

    Raises TableNotFound, TableShared, KeyReused, RoundOpenExists, RoundWaits,
    CurrencyMismatch, Stopped, SessionOver, TableDisabled, TableNotInSession,
    NoLastRound, ExposureExceeded, NotSandbox, SandboxOnly, CardsNotInShoe, Refused,
    NotFunded, WalletRefused, WalletWaits or DatabaseUnavailable; after the last two the
    same key finds out what happened. Raises NothingWaits, too, where it was to be gone
    on with.
    """
    table = house.catalog.table(wish.table_id)
    if table.seating == "shared":
        raise TableShared(wish.table_id)
    lost = ""
    for _ in range(_TRIES):
        try:
            return _dealt(house, ask, wish, table)
        except _Overtaken as faster:
            lost = faster.round_id
    raise RoundOpenExists(lost)


def _dealt(house: House, ask: Ask, wish: Wish, table: TableRules) -> Answer:
    """Deal once. Raises as `deal` does, and _Overtaken."""
    # In this order: a deal that waits no more when it is looked for is a round by then.
    pending = house.wallet(ask).pending_deal(ask.account, wish.table_id)
    before = _before(house, ask, wish)
    if before.keyed is not None:
        return _replayed(house, ask, before.keyed)
    if pending is None and ask.goes_on:
        raise NothingWaits
    shuffler = _shuffler(house, ask, wish)
    if pending is not None:
        return _carried(house, ask, _continued(house, ask, wish, pending))
    if before.open_round_id is not None:
        raise RoundOpenExists(before.open_round_id)
    limits = _permitted(ask, wish, before.standing, table)
    if wish.rebet:
        wish = _the_same_again(house, ask, wish)
    own_limit = before.standing.own_limit
    start = Start(new_id(), before.now, table, limits, shuffler.name, own_limit)
    shoe = WholeShoe.new(shuffler, table.decks)
    accepted = _decided(house, ask, wish, start, shoe)
    _check_exposure(accepted.after.opened, before.standing.exposure)
    return _carried(house, ask, accepted)


def _before(house: House, ask: Ask, wish: Wish) -> BeforeDeal:
    who = (ask.account, ask.player, ask.operator, ask.session)
    what = (wish.table_id, wish.currency, ask.key)
    return before_deal(house.database, DealRequest(*who, *what))


def _permitted(
    ask: Ask, wish: Wish, standing: Standing, table: TableRules
) -> Limits | None:
    """Return the limits in force; None where the table does not know the currency."""
    if ask.currency not in (None, wish.currency):
        raise CurrencyMismatch(ask.currency, wish.currency)
    if standing.stopped is not None:
        raise Stopped(standing.stopped)
    if ask.session is not None and (
        not standing.session_found or standing.session_over
    ):
        raise SessionOver(ask.session)
    tables = standing.session_tables
    if tables is not None and table.table_id not in tables:
        raise TableNotInSession(tuple(tables))
    if standing.enabled is False:
        raise TableDisabled(table.table_id)
    limits = table.limits.get(wish.currency)
    return limits and limits._replace(
        minimum=standing.minimum or limits.minimum,
        maximum=standing.maximum or limits.maximum,
    )


def _the_same_again(house: House, ask: Ask, wish: Wish) -> Wish:
    """Return a wish for what was bet last. Raises NoLastRound or CurrencyMismatch."""
    found = last_wagers(house.database, house.catalog, ask, [wish.table_id])
    if not found:
        raise NoLastRound(wish.table_id)
    (last,) = found
    if last.currency != wish.currency:
        raise CurrencyMismatch(wish.currency, last.currency)
    return wish._replace(boxes=last.boxes)


def _shuffler(house: House, ask: Ask, wish: Wish) -> Shuffler:
    """Return who makes the shoe. Raises NotSandbox, or SandboxOnly."""
    sandbox = house.wallets.operator(ask.operator).sandbox
    if sandbox and ask.mode != "demo":
        raise SandboxOnly(ask.operator)
    if not wish.cards:
        return house.shuffler
    if not (sandbox and house.sandboxes):
        raise NotSandbox(ask.operator)
    return Sandbox(wish.cards, house.shuffler)


def exposure_of(opened: RoundOpened) -> int:
    """Return the most that a round could put at stake: split, doubled, insured."""
    table = opened.table
    hands = max(table.split_hands * (2 if table.double_after_split else 1), 2)
    wagers = sum(box.wager for box in opened.boxes)
    return wagers * hands + wagers // 2 + sum(box.bonus_wager for box in opened.boxes)


def _check_exposure(opened: RoundOpened, ceiling: int | None) -> None:
    exposure = exposure_of(opened)
    if ceiling is not None and exposure > ceiling:
        raise ExposureExceeded(exposure, ceiling)


def _decided(
    house: House, ask: Ask, wish: Wish, start: Start, shoe: WholeShoe
) -> Accepted:
    round_id, at, table, limits, shuffler, own_limit = start
    command = Deal(
        table=table,
        currency=wish.currency,
        boxes=wish.boxes,
        raise_to_minimum=wish.raise_to_minimum,
        at=at,
        shoe_id=round_id,
        first_place=0,
        shuffler=shuffler,
        commitment=shoe.commitment,
        limits=limits,
        own_limit=own_limit,
    )
    events = tuple(decide(None, command, shoe))
    sealed = house.keys.seal(shoe, ask.account, round_id)
    return Accepted(
        *(ask, round_id, command, None, at, None, fold(events), events, sealed)
    )


def _continued(house: House, ask: Ask, wish: Wish, pending: Pending) -> Accepted:
    """Decide the deal again whose stake was asked for and not answered."""
    if pending.key != ask.key or pending.player != ask.player:
        raise RoundWaits(pending.round_id)
    if pending.request != ask.request:
        raise KeyReused(ask.key)
    loaded = house.load(ask.account, pending.round_id, pending.round_id)
    shoe = house.shoe(ask.account, pending.round_id, loaded)
    terms = pending.terms
    assert terms is not None, "a deal's debit keeps what it was decided under"
    table = house.catalog.versions()[terms.version]
    limits = table.limits[wish.currency]._replace(
        minimum=terms.minimum, maximum=terms.maximum
    )
    name = house.shuffler.name  # real money's: no sandbox waits for a wallet
    start = Start(pending.round_id, pending.at, table, limits, name)
    # The same wagers again are those that they were when the stake was asked for.
    return _decided(house, ask, wish._replace(boxes=terms.boxes), start, shoe)


def _carried(house: House, ask: Ask, accepted: Accepted) -> Answer:
    try:
        accepted = shown_at(house, accepted)
        carried = house.wallet(ask).carry(accepted)
    except FundsShort as short:
        raise NotFunded(short.required, short.balance, None) from None
    except KeyUsed:
        return _replayed(house, ask, house.keyed(ask))
    except (LostRace, OpenRoundExists):
        raise _Overtaken(accepted.round_id) from None
    return answer_now(accepted, carried, first_seq=1)


def _replayed(house: House, ask: Ask, keyed: LogRow) -> Answer:
    if keyed.req != ask.request:
        raise KeyReused(ask.key)
    seen = seen_in(keyed.round_id, [keyed], house.catalog.versions())
    answer = answer_again(seen, seen.steps[0])
    return with_balance(answer, house.wallet(ask), ask)
