"""Meters on a real database: nothing is lost, nothing counts twice."""

from fractions import Fraction
from functools import partial

import pytest

from service.chance import new_id
from service.jackpotfile import parse_jackpot
from service.meter import PARTS, Jackpot, Meter
from service.meters import SHOWN_SECONDS, Meters
from service.store.database import Database
from service.store.errors import JackpotVersionChanged, KeyUsed, LostRace
from service.store.jackpot_versions import all_jackpot_versions, save_jackpot_version
from service.store.jackpots import (
    Contribution,
    Hit,
    add_hit,
    all_meters,
    hit_sums,
    last_hits,
    lock_meter,
    moment_of_meters,
    read_meter,
)
from service.store.rows import LogRow
from service.store.writes import open_round
from tests.play.test_jackpotfile import TEXT
from tests.rules.tables import with_line
from tests.support.samples import AT, SHOE, first_row, round_row
from tests.support.waiting import at_once

RESET = 7_500_000


class Clock:
    """A time that the test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Pool:
    """A jackpot of one operator, and deals that contribute to it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = Clock()
        self.meters = Meters(database, self.clock)
        self.load(TEXT)

    def load(self, text: str) -> None:
        version = parse_jackpot(text, "mine.toml").version
        save_jackpot_version(self.database, "aces-usd", version, text)
        self.clock.now += 10

    @property
    def jackpot(self) -> Jackpot:
        (jackpot,) = self.meters.jackpots()
        return jackpot

    def deal(self, wagers: int, key: str = "key-00001", account: str = "") -> str:
        row = first_row(account or new_id(), key)
        contribution = Contribution("dev", "aces-usd", row.round_id, wagers)
        open_round(self.database, SHOE, row, round_row(row), contribution=contribution)
        return row.round_id

    @property
    def meter(self) -> Meter:
        """What is in the meter itself."""
        (meter,) = all_meters(self.database)
        return meter

    @property
    def now(self) -> Meter:
        """The meter with everything that waits."""
        self.clock.now += SHOWN_SECONDS
        return self.meters.meter("dev", self.jackpot)

    def hit(self, row: LogRow | None = None) -> int:
        """Hit the jackpot with a row, in a transaction of its own."""
        row = row or first_row(new_id())
        with self.database.transaction():
            amount = self.meters.reserve("dev", self.jackpot)
            open_round(self.database, SHOE, row, round_row(row))
            hit = (row.account, row.round_id, 1, 1, "dev", "aces-usd", amount, AT)
            add_hit(self.database, Hit(*hit))
        return amount

    def rest(self) -> int:
        """Return what does not add up."""
        ((meter, held),) = moment_of_meters(self.database)
        return meter.rest(held.reserved + held.paid)


@pytest.fixture
def pool(database: Database) -> Pool:
    return Pool(database)


def test_a_meter_begins_at_the_reset_value(pool: Pool) -> None:
    assert pool.now.amount == RESET
    assert pool.meter == Meter.new("dev", pool.jackpot)


def test_what_waits_is_shown_and_moves_into_the_meter_once(pool: Pool) -> None:
    for wagers in (100, 500, 1):
        pool.deal(wagers)
    shown = pool.now
    assert shown.current == (RESET + Fraction(3, 20) * 601) * PARTS
    assert pool.meter.current == RESET * PARTS
    assert pool.meters.fold("dev", "aces-usd")
    assert pool.meters.fold("dev", "aces-usd")
    assert pool.meter == shown == pool.now
    assert pool.rest() == 0


def test_a_shown_meter_is_at_most_a_second_old(pool: Pool) -> None:
    before = pool.now
    pool.deal(1_000)
    pool.clock.now += 0.999
    assert pool.meters.meter("dev", pool.jackpot) == before
    pool.clock.now += 0.001
    assert pool.meters.meter("dev", pool.jackpot).wagers == 1_000


def test_many_waiting_deals_are_added_by_who_looks(pool: Pool) -> None:
    assert pool.now.amount == RESET
    with pool.database.transaction():
        for _ in range(501):
            pool.database.write(
                "INSERT INTO jackpot_contribution VALUES (%s, %s, %s, %s)",
                ("dev", "aces-usd", new_id(), 100),
            )
    assert pool.now.wagers == 50_100
    assert pool.meter.wagers == 50_100


def test_a_deal_that_is_not_written_adds_nothing(pool: Pool) -> None:
    account = new_id()
    pool.deal(100, account=account)
    with pytest.raises(KeyUsed):
        pool.deal(100, account=account)
    assert pool.now.wagers == 100


def test_a_hit_takes_all_that_is_committed_and_resets(pool: Pool) -> None:
    pool.deal(1_001)
    assert pool.hit() == RESET + 150
    # Fifteen hundredths of a cent were not paid: they begin the next jackpot.
    assert pool.meter.current == (RESET + Fraction(15, 100)) * PARTS
    assert pool.meter.resets == 2 * RESET
    assert pool.hit() == RESET
    assert pool.rest() == 0
    assert hit_sums(pool.database, "dev", "aces-usd") == (2 * RESET + 150, 0, 2)
    hits = last_hits(pool.database, "dev", "aces-usd", 5)
    assert sorted(hit.amount for hit in hits) == [RESET, RESET + 150]


def test_a_hit_that_comes_to_nothing_leaves_the_meter_as_it_was(pool: Pool) -> None:
    pool.deal(1_000)
    before = pool.now
    row = first_row(new_id(), "the-same-key")
    open_round(pool.database, SHOE, row, round_row(row))
    with pytest.raises(LostRace):
        pool.hit(row)
    assert pool.now == before
    assert pool.rest() == 0


def test_hits_and_deals_at_once_count_each_once(pool: Pool) -> None:
    assert pool.now.amount == RESET

    def play(number: int) -> int:
        for _ in range(5):
            pool.deal(100)
        return pool.hit() if number % 2 else int(pool.meters.fold("dev", "aces-usd"))

    results = at_once([lambda n=n: play(n) for n in range(16)])  # type: ignore[misc]  # mypy can't tell what a default binds
    assert not [one for one in results if isinstance(one, Exception)]
    assert pool.meters.fold("dev", "aces-usd")
    sums = hit_sums(pool.database, "dev", "aces-usd")
    assert (sums.hits, pool.meter.wagers) == (8, 16 * 5 * 100)
    paid_in = 16 * 5 * 15 + 9 * RESET
    assert sums.reserved + pool.meter.amount == paid_in
    assert pool.rest() == 0


def test_what_is_over_the_ceiling_is_kept_apart_and_moved_later(pool: Pool) -> None:
    pool.load(with_line(TEXT, "ceiling", "ceiling = 7_500_010"))
    assert pool.hit() == RESET  # and the new file is in force
    pool.deal(1_001)
    pool.meters.fold("dev", "aces-usd")
    assert pool.meter.amount == RESET + 10
    assert pool.meter.overflow == Fraction(140_15, 100) * PARTS
    assert pool.meters.move_overflow("dev", "aces-usd") == 0
    assert pool.hit() == RESET + 10
    with pool.database.transaction():
        assert pool.meters.move_overflow("dev", "aces-usd") == 10
    assert pool.meter.amount == RESET + 10
    assert pool.meter.overflow == Fraction(130_15, 100) * PARTS
    assert pool.rest() == 0


def test_a_changed_file_waits_for_the_next_hit(pool: Pool) -> None:
    pool.deal(1_000)
    assert pool.now.amount == RESET + 150
    changed = with_line(TEXT, "reset", "reset = 8_000_000")
    pool.load(with_line(changed, "contribution", 'contribution = "1/5"'))
    pool.deal(1_000)
    assert pool.now.amount == RESET + 300
    assert pool.hit() == RESET + 300
    pool.deal(1_000)
    assert pool.now.amount == 8_000_000 + 200
    assert pool.rest() == 0


def test_a_hit_is_given_back_once_into_the_meter_in_force(pool: Pool) -> None:
    pool.deal(1_000)
    pool.hit()
    pool.load(with_line(TEXT, "ceiling", "ceiling = 8_000_000"))
    assert pool.hit() == RESET
    newest, _ = sorted(
        last_hits(pool.database, "dev", "aces-usd", 2), key=lambda hit: -hit.amount
    )
    with pool.database.transaction():
        place = (newest.account, newest.round_id)
        assert pool.meters.give_back(*place) == RESET + 150
        assert pool.meters.give_back(*place) == 0
    assert pool.meter.amount == 8_000_000
    assert pool.meter.overflow == (2 * RESET + 150 - 8_000_000) * PARTS
    statuses = {hit.status for hit in last_hits(pool.database, "dev", "aces-usd", 2)}
    assert statuses == {"reserved", "returned"}
    (stands,) = last_hits(pool.database, "dev", "aces-usd", 1, returned=False)
    assert (stands.status, stands.amount) == ("reserved", RESET)
    assert pool.rest() == 0


def test_a_meter_that_is_locked_is_passed_by(pool: Pool) -> None:
    pool.deal(100)
    assert pool.now.wagers == 100
    with pool.database.transaction():
        lock_meter(pool.database, "dev", "aces-usd")
        (passed,) = at_once([lambda: pool.meters.fold("dev", "aces-usd")])
        assert passed is False
    assert pool.meters.fold("dev", "aces-usd")


def test_a_meter_counts_on_where_64_bits_end(pool: Pool) -> None:
    """Parts of minor units of a currency of which a dollar has a million or more."""
    pool.load(with_line(TEXT, "contribution", 'contribution = "999999/1000000"'))
    for _ in range(3):
        pool.deal(9 * 10**12, account=new_id())
    assert pool.now.wagers == 27 * 10**12
    assert pool.meters.fold("dev", "aces-usd")
    assert pool.meter.contributed == 27 * 10**12 * 999_999 > 2**63
    assert pool.meter.amount == pool.jackpot.ceiling
    assert pool.hit() == pool.jackpot.ceiling
    assert pool.rest() == 0


def test_a_meter_is_locked_in_a_transaction_alone(pool: Pool) -> None:
    with pytest.raises(AssertionError, match="until a transaction ends"):
        pool.meters.reserve("dev", pool.jackpot)


def test_an_operator_without_a_meter_has_none(pool: Pool) -> None:
    assert read_meter(pool.database, "nobody", "aces-usd") is None
    assert not pool.meters.fold("nobody", "aces-usd")
    with pool.database.transaction():
        assert pool.meters.reserve("first-hit", pool.jackpot) == RESET


def test_a_version_never_changes(database: Database) -> None:
    assert save_jackpot_version(database, "aces-usd", "v1", "a")
    assert not save_jackpot_version(database, "aces-usd", "v1", "a")
    with pytest.raises(JackpotVersionChanged, match="a version never changes"):
        save_jackpot_version(database, "aces-usd", "v1", "b")


def test_a_version_that_others_followed_is_the_newest_again(pool: Pool) -> None:
    first = pool.jackpot.version
    pool.load(with_line(TEXT, "reset", "reset = 8_000_000"))
    assert pool.now.version == pool.jackpot.version != first
    pool.load(TEXT)
    assert (pool.jackpot.version, pool.now.amount) == (first, 8_000_000)
    assert pool.hit() == 8_000_000
    assert (pool.meter.version, pool.meter.amount) == (first, RESET)
    assert pool.rest() == 0


def test_versions_that_are_loaded_at_once_are_all_kept(database: Database) -> None:
    names = [f"v{number % 4}" for number in range(8)]
    jobs = [
        partial(save_jackpot_version, database, "aces-usd", name, name)
        for name in names
    ]
    told = at_once(jobs)
    kept = [row.version for row in all_jackpot_versions(database)]
    assert told.count(True) == len(kept)
    assert set(kept) == set(names)
