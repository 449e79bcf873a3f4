"""The facts of the four tables, as their documents state them."""

import json

import pytest

from service.rules.cards import deck_order
from service.rules.commands import Refused
from service.rules.decide import decide
from service.rules.fold import fold
from service.rules.stored import decode, encode
from service.rules.table import MaxWin, Ratio, TableRules
from tests.rules.rig import Rigged, Story, deal_of, shoe_of, tell
from tests.rules.tables import AMERICAN, CLASSIC, PROGRESSIVE, SHARED, TABLES

every_table = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))


@pytest.mark.parametrize(
    ("table", "decks", "boxes", "seating"),
    [
        (PROGRESSIVE, 8, 5, "private"),
        (SHARED, 8, 5, "shared"),
        (CLASSIC, 6, 3, "private"),
        (AMERICAN, 6, 5, "private"),
    ],
)
def test_decks_and_boxes(
    table: TableRules, decks: int, boxes: int, seating: str
) -> None:
    assert (table.decks, table.boxes, table.seating) == (decks, boxes, seating)
    assert len(deck_order(decks)) == table.cards == 52 * decks
    pairs = " / ".join(["T,9"] * boxes)
    story = tell(f"P {pairs} | U T | H 7", "stand " * boxes, at=table)
    assert story.results == " ".join(["win"] * boxes)
    with pytest.raises(Refused):
        tell("P T,9 | U T | H 7", at=table, boxes=[boxes + 1])


@every_table
def test_a_deck_has_each_card_once(table: TableRules) -> None:
    order = deck_order(table.decks)
    assert len(set(order)) == 52
    assert all(order.count(card) == table.decks for card in set(order))


@pytest.mark.parametrize("table", [PROGRESSIVE, CLASSIC, AMERICAN])
def test_the_shoe_is_shuffled_after_each_round(table: TableRules) -> None:
    assert table.reshuffle == "every_round"
    assert table.shoe_is_finished(4)


def test_the_shared_shoe_runs_to_a_third_of_its_cards() -> None:
    assert SHARED.reshuffle == "cut_card"
    assert SHARED.cut_card == -(-416 // 3)
    assert [SHARED.shoe_is_finished(dealt) for dealt in (4, 138, 139, 200)] == [
        *(False, False, True, True),
    ]


CHIPS = (100, 500, 2_500, 10_000, 50_000)


@pytest.mark.parametrize(
    ("table", "currencies", "lowest", "highest"),
    [
        (PROGRESSIVE, "USD", 2, 2_500),
        (SHARED, "USD", 2, 2_500),
        (CLASSIC, "EUR USD", 1, 100),
        (AMERICAN, "EUR USD", 1, 500),
    ],
)
def test_limits(table: TableRules, currencies: str, lowest: int, highest: int) -> None:
    assert set(table.limits) == set(currencies.split())
    for currency in table.limits:
        for bet in (lowest, highest):
            story = tell("P T,9 | U T | H 7", at=table, bets=[bet], currency=currency)
            assert story.round.stake == bet * 100
        for bet in (lowest - 1, highest + 1):
            with pytest.raises(Refused):
                tell("P T,9 | U T | H 7", at=table, bets=[bet], currency=currency)


@every_table
def test_wagers_are_made_of_the_chips(table: TableRules) -> None:
    chips = table.limits["USD"].chips
    assert chips == (CHIPS if table in (PROGRESSIVE, SHARED) else CHIPS[:4])
    bet = 30  # a chip of 25 and one of 5
    assert tell("P T,9 | U T | H 7", at=table, bets=[bet]).round.stake == 3000


@pytest.mark.parametrize("table", [PROGRESSIVE, SHARED])
def test_a_wager_below_the_minimum_is_raised_to_it(table: TableRules) -> None:
    story = tell("P T,9 | U T | H 7", at=table, bets=[1], raise_to_minimum=True)
    assert (story.box(1).wager, story.box(1).raised_from) == (200, 100)
    assert story.round.stake == 200
    least = tell("P T,9 | U T | H 7", at=table, bets=[0.01], raise_to_minimum=True)
    assert (least.box(1).wager, least.box(1).raised_from) == (200, 1)


@pytest.mark.parametrize(
    ("table", "raises"),
    [
        *((table, False) for table in TABLES.values()),
        *((CLASSIC, True), (AMERICAN, True)),
    ],
)
def test_a_wager_below_the_minimum_is_refused_elsewhere(
    table: TableRules, *, raises: bool
) -> None:
    with pytest.raises(Refused) as caught:
        tell("P T,9 | U T | H 7", at=table, bets=[0.5], raise_to_minimum=raises)
    assert caught.value.code == "wager_below_minimum"


@every_table
def test_each_box_may_bet_another_amount(table: TableRules) -> None:
    story = tell("P T,9 / T,8 | U T | H 7", "stand stand", at=table, bets=[2, 50])
    assert [hand.stake for hand in story.round.hands] == [200, 5000]
    assert [story.paid(hand.name) for hand in story.round.hands] == [4, 100]


@every_table
def test_a_natural_of_50_is_paid_125(table: TableRules) -> None:
    assert tell("P A,K | U 9 | H 7", at=table, bets=[50]).paid("1a") == 125


def test_the_max_win_follows_the_maximum_wager() -> None:
    assert CLASSIC.max_win == MaxWin(Ratio(5, 2), "hand")
    assert CLASSIC.cap(10_000) == 25_000
    limits = CLASSIC.limits["USD"]._replace(maximum=20_000)
    raised = deal_of(CLASSIC, [200])._replace(limits=limits)
    story = Story(raised, shoe_of("P 5,6 | U T | H 7 | T")).play("double")
    assert story.round.opened.max_win == 50_000
    assert (story.hand("1a").payout, story.paid("1a")) == (80_000, 500)
    assert [t.cap(10_000) for t in (PROGRESSIVE, SHARED, AMERICAN)] == [None] * 3


def test_the_limits_in_force_bind_in_place_of_the_tables() -> None:
    limits = CLASSIC.limits["USD"]._replace(minimum=500, maximum=1_000)
    for bet, code in ((4, "wager_below_minimum"), (11, "wager_above_maximum")):
        with pytest.raises(Refused) as caught:
            decide(None, deal_of(CLASSIC, [bet])._replace(limits=limits), Rigged(()))
        assert caught.value.code == code
    deal = deal_of(CLASSIC, [5])._replace(limits=limits)
    opened = Story(deal, shoe_of("P 5,6 | U T | H 7")).round.opened
    assert (opened.minimum, opened.maximum, opened.max_win) == (500, 1_000, 2_500)
    own = tell("P 5,6 | U T | H 7").round.opened
    assert (own.minimum, own.maximum) == (100, 10_000)
    foreign = deal_of(CLASSIC, [5], currency="GBP")._replace(limits=limits)
    with pytest.raises(Refused, match="takes EUR, USD, not GBP"):
        decide(None, foreign, Rigged(()))


@every_table
def test_suits_do_not_matter(table: TableRules) -> None:
    cards = "P T{0},6{1} | U 9{2} | H 8{3} | 2{1},A{0}"
    played = {
        tell(cards.format(*suits), "hit hit stand", at=table).net
        for suits in ("SSSS", "SHDC", "CDHS", "HHDD")
    }
    assert played == {10}


@every_table
def test_an_unfinished_round_goes_on_from_its_log(table: TableRules) -> None:
    story = tell("P T,2 / T,3 | U 9 | H 8 | 3,4", "hit", at=table)
    stored = json.loads(json.dumps([encode(event) for event in story.log]))
    versions = {table.version: table}
    story.round = fold(decode(event, versions) for event in stored)
    assert story.play("stand hit stand settle").results == "lose push"
