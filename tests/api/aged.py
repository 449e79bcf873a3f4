"""Rounds that were dealt long ago, stored and paid as the service does its own."""

from collections.abc import Callable

from service.answers import seen_in
from service.chance import WholeShoe, new_id
from service.recorded import Ask
from service.rules.commands import BoxWager, Command, Deal, Expire, Settle
from service.rules.decide import decide
from service.rules.fold import fold
from service.sealing import KeyRing
from service.store.database import clock
from service.store.log import load
from service.wallet.port import Accepted
from tests.api.player import Player
from tests.api.site import Site

DAY = 24 * 60 * 60 * 1_000_000


def deal_days_ago(site: Site, player: Player, days: int, wager: int = 1000) -> str:
    """Deal what the rig has, some days ago; give the round's path."""
    ask, round_id = ask_of(site, player), new_id()
    table = site.api.catalog.table("classic-three")
    shoe = WholeShoe.new(site.rig, table.decks)
    deal = Deal(
        table=table,
        currency=player.currency,
        boxes=(BoxWager(1, player.name, wager),),
        raise_to_minimum=False,
        at=clock(site.api.database) - days * DAY,
        shoe_id=round_id,
        first_place=0,
        shuffler=site.rig.name,
        commitment=shoe.commitment,
    )
    events = tuple(decide(None, deal, shoe))
    sealed = KeyRing.from_file(site.config.shoe_keys).seal(shoe, ask.account, round_id)
    what = (ask, round_id, deal, None, deal.at, None, fold(events), events, sealed)
    site.api.wallets.of(ask).carry(Accepted(*what))
    return f"/v1/rounds/{round_id}"


def expire(site: Site, player: Player, url: str) -> None:
    """End a round whose time is over, as its table says."""
    _end(site, ask_of(site, player), url.rpartition("/")[2], Expire)


def settle_by_job(site: Site, player: Player, round_id: str) -> None:
    """Settle a round as the job does that pays those who don't come back."""
    key = f"job:settle:{round_id}"
    _end(site, ask_of(site, player)._replace(key=key, by="job"), round_id, Settle)


def _end(
    site: Site, ask: Ask, round_id: str, command: Callable[[int], Command]
) -> None:
    loaded = load(site.api.database, ask.account, round_id, None)
    before = seen_in(round_id, loaded.rows, site.api.catalog.versions()).round
    end = command(loaded.now)
    events = tuple(decide(before, end, WholeShoe(b"", "")))
    after = fold(events, before)
    last = loaded.rows[-1]
    what = (ask, round_id, end, last, loaded.now, before, after, events, None)
    site.api.wallets.of(ask).carry(Accepted(*what))


def ask_of(site: Site, player: Player) -> Ask:
    """Ask for a player under a new key."""
    caller = site.api.tokens.read(player.token, player.present())
    return Ask(
        account=caller.account,
        player=caller.player,
        key=new_id(),
        request=bytes(32),
        currency=caller.currency,
        operator=caller.operator,
        mode=caller.mode,
        session=caller.session,
    )
