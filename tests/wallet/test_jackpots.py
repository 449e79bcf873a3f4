"""The jackpot at operators' own wallets, and rounds taken back at a bad time."""

import threading
from functools import partial
from typing import Final

import psycopg
import pytest

from service.answers import Answer
from service.jackpotfile import parse_jackpot
from service.store.database import Database
from service.store.jackpot_versions import save_jackpot_version
from service.store.jackpots import (
    hit_sums,
    last_hits,
    lock_meter,
    moment_of_meters,
)
from service.wallet.port import WalletWaits
from tests.play.test_jackpotfile import TEXT
from tests.rules.tables import with_line
from tests.support.money import assert_money_is_right
from tests.support.waiting import at_once, until
from tests.wallet.casino import FUNDS, OPERATOR, Casino, Guest
from tests.wallet.test_malfunction import take_back

JACKPOT: Final = "aces-usd"
TABLE: Final = "progressive-five"
RESET: Final = 7_500_000
ACES: Final = "P AS,AC / AH,AD | U T | H 7 | AS,AC,AH,AD"


def amount_of(casino: Casino) -> int:
    """Return what the meter holds itself, and see that all of it adds up."""
    ((meter, held),) = moment_of_meters(casino.database)
    assert meter.rest(held.reserved + held.paid) == 0
    return meter.amount


def hit(guest: Guest, *wagers: int) -> Answer:
    """Deal, and draw the deciding ace of box 1."""
    on = guest.deal(*wagers, table=TABLE, bonus=100)
    return guest.act(guest.act(on, "hit"), "hit")


def test_it_is_reserved_and_paid_at_an_operators_own_wallet(casino: Casino) -> None:
    guest = casino.player()
    casino.rig.stack("P AS,AC | U T | H 7 | AS,AC")
    on = hit(guest, 1_000)
    assert amount_of(casino) == RESET
    assert hit_sums(casino.database, OPERATOR, JACKPOT) == (RESET + 15, 0, 1)
    guest.finish(on)
    assert hit_sums(casino.database, OPERATOR, JACKPOT) == (0, RESET + 15, 1)
    assert guest.has() == FUNDS - 1_100 + RESET + 15
    casino.check()
    assert_money_is_right(casino.dsn)


def test_a_deal_that_waits_for_the_wallet_adds_once_when_it_is_dealt(
    hasty: Casino,
) -> None:
    guest = hasty.player()
    hasty.wallet.arm(rates={"cut_after": 1.0})
    with pytest.raises(WalletWaits):
        guest.deal(1_000, table=TABLE, bonus=100, key="the-deal")
    assert hasty.owner("SELECT wagers FROM jackpot_contribution") == []
    hasty.wallet.arm(rates={})
    hasty.work()
    guest.deal(1_000, table=TABLE, bonus=100, key="the-deal")
    assert hasty.owner("SELECT wagers FROM jackpot_contribution") == [(100,)]
    hasty.check()
    assert_money_is_right(hasty.dsn)


def test_a_round_that_came_out_even_is_taken_back_with_its_jackpot_or_not_at_all(
    casino: Casino,
) -> None:
    """No money moves then, and what is written is one transaction all the same."""
    small = with_line(TEXT, "reset", "reset = 250_070")
    owner = Database(casino.dsn, role=None)
    save_jackpot_version(owner, JACKPOT, parse_jackpot(small, "small").version, small)
    owner.close()
    guest = casino.player(1_000_000)
    casino.rig.stack("P AS,AC / T,6 | U T | H 7 | AS,AC")
    on = guest.finish(hit(guest, 100_000, 149_900))
    assert on.round.payout == on.round.stake == 250_100
    before = amount_of(casino)
    casino.owner(
        "ALTER TABLE jackpot_hit ADD CONSTRAINT broken CHECK (returned_at IS NULL)"
    )
    with pytest.raises(psycopg.errors.CheckViolation):
        take_back(guest, on, "the-key")
    assert casino.play.read(guest.ask(), on.round_id).round.status == "settled"
    casino.owner("ALTER TABLE jackpot_hit DROP CONSTRAINT broken")
    assert take_back(guest, on, "the-key").round.status == "malfunction"
    assert amount_of(casino) == before + 250_100
    casino.check()
    assert_money_is_right(casino.dsn)


def test_a_hit_and_a_malfunction_of_one_round_do_not_wait_for_each_other(
    casino: Casino,
) -> None:
    guest, database = casino.player(), casino.database
    casino.rig.stack(ACES)
    on = guest.act(guest.act(hit(guest, 1_000, 1_000), "stand"), "hit")
    taken: list[Answer | Exception] = []

    def waits() -> bool:
        ((count,),) = casino.owner(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(count)

    def played() -> Answer:
        with database.transaction():
            lock_meter(database, OPERATOR, JACKPOT)
            thread.start()
            until(waits, "the malfunction waits for the meter")
            return guest.act(on, "hit")

    job = partial(take_back, guest, on)
    thread = threading.Thread(target=lambda: taken.extend(at_once([job])))
    assert played().round.boxes[1].jackpot is not None
    thread.join()
    assert [one for one in taken if isinstance(one, Exception)] == []
    hits = last_hits(database, OPERATOR, JACKPOT, 5)
    assert [hit.status for hit in hits] == ["returned", "returned"]
    assert amount_of(casino) == 3 * RESET + 30
    casino.check()
    assert_money_is_right(casino.dsn)
