"""Rounds that were dealt long ago, stored as the service stores its own."""

from service.chance import WholeShoe, new_id
from service.recorded import Ask, data_of, next_row, projection_of, seen_of, steps_of
from service.rules.commands import BoxWager, Deal, Expire
from service.rules.decide import decide
from service.rules.round import fold
from service.sealing import KeyRing
from service.store.log import load
from service.store.writes import append_and_project, open_round
from tests.api.player import Player
from tests.api.site import Site

DAY = 24 * 60 * 60 * 1_000_000


def account_of(site: Site, player: Player) -> str:
    return site.api.tokens.read(player.token, player.present()).account


def deal_days_ago(site: Site, player: Player, days: int, wager: int = 1000) -> str:
    """Deal what the rig has, some days ago; give the round's path."""
    account, round_id = account_of(site, player), new_id()
    table = site.api.catalog.table("classic-three")
    shoe = WholeShoe.new(site.rig, table.decks)
    now = load(site.api.database, account, round_id, None).now
    deal = Deal(
        table=table,
        currency=player.currency,
        boxes=(BoxWager(1, player.name, wager),),
        raise_to_minimum=False,
        at=now - days * DAY,
        shoe_id=round_id,
        first_place=0,
        shuffler=site.rig.name,
        commitment=shoe.commitment,
    )
    events = decide(None, deal, shoe)
    ask = Ask(account, player.name, new_id(), bytes(32))
    row = next_row(None, ask, round_id, deal.at, data_of(events))
    keys = KeyRing.from_file(site.config.shoe_keys)
    sealed = keys.seal(shoe, account, round_id)
    projection = projection_of(row, fold(events), ask.holder)
    open_round(site.api.database, sealed, row, projection)
    return f"/v1/rounds/{round_id}"


def expire(site: Site, player: Player, url: str) -> None:
    """End a round whose time is over, as its table says."""
    account, round_id = account_of(site, player), url.rpartition("/")[2]
    loaded = load(site.api.database, account, round_id, None)
    steps = steps_of(loaded.rows, site.api.catalog.versions())
    round_ = seen_of(round_id, steps).round
    events = decide(round_, Expire(loaded.now), WholeShoe(b"", ""))
    ask = Ask(account, player.name, new_id(), bytes(32))
    row = next_row(loaded.rows[-1], ask, round_id, loaded.now, data_of(events))
    projection = projection_of(row, fold(events, round_), ask.holder)
    append_and_project(site.api.database, row, projection)
