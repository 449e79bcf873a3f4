"""What other games got wrong about stakes and payouts, with the right value.

The numbers are those of faults.toml, which says where each fault is shown.
"""

from fractions import Fraction

import pytest

from service.rules.commands import Act, Insure, Settle
from service.rules.events import HandSplit, Result, RoundOpened, WinCapped
from service.rules.fold import fold
from service.rules.settle import payout_of
from service.rules.table import MaxWin, Ratio, TableRules
from tests.rules.rig import Story, tell
from tests.rules.tables import (
    AMERICAN,
    CLASSIC,
    PROGRESSIVE,
    SHARED,
    TABLES,
    varied,
)

every_table = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))


@every_table
def test_8_winning_insurance_pays_its_stake_back_and_two_to_one(
    table: TableRules,
) -> None:
    story = tell("P K,Q | U A | H J", "insure", at=table)
    assert story.box(1).insurance_payout == 1500
    assert (story.results, story.net) == ("lose", 0)


def test_9_insurance_is_paid_on_its_own_stake() -> None:
    story = tell("P K,Q | U A | H J", "insure", bets=[20])
    assert story.box(1).insurance == 1000
    assert story.box(1).insurance_payout == 3000


@every_table
def test_10_a_natural_pays_three_to_two(table: TableRules) -> None:
    story = tell("P A,K | U 9 | H 7", at=table, bets=[100])
    assert (story.results, story.paid("1a")) == ("natural", 250)


@every_table
def test_11_a_natural_waits_for_the_dealers_natural(table: TableRules) -> None:
    assert tell("P A,K | U K | H A", at=table).net == 0
    ace_up = tell("P A,K | U A | H K", at=table)
    assert ace_up.round.status == "insurance"
    assert ace_up.play("pass").net == 0
    assert ace_up.results == "push"


def test_12_a_lost_stake_is_taken_once_and_a_pushed_one_comes_back() -> None:
    lost = tell("P T,8 | U T | H 9", "stand settle", bets=[100])
    assert (lost.round.stake, lost.round.payout) == (10_000, 0)
    pushed = tell("P T,9 | U T | H 9", "stand settle", bets=[100])
    assert (pushed.round.stake, pushed.round.payout) == (10_000, 10_000)


@every_table
def test_13_equal_totals_push(table: TableRules) -> None:
    story = tell("P T,8 | U T | H 8", "stand", at=table)
    assert (story.results, story.net) == ("push", 0)


def test_14_a_doubled_21_ties_a_drawn_21() -> None:
    story = tell("P 5,6 | U 6 | H 5 | T,T", "double")
    assert (story.results, story.paid("1a"), story.net) == ("push", 20, 0)


@every_table
def test_15_a_double_after_a_split_costs_one_more_bet(table: TableRules) -> None:
    story = tell("P 8,8 | U T | H 7 | 3,T", "split", at=table)
    costs = {entry.action: entry.cost for entry in story.legal}
    assert (story.round.stake, costs["double"]) == (2000, 1000)


def test_16_a_refused_command_leaves_the_round_and_its_other_actions() -> None:
    story = tell("P 5,6 | U T | H 7 | T")
    assert story.refused("split").reason == "not_a_pair"
    assert len(story.log) == len(story.replies[0])
    assert story.play("hit").results == "win"


@pytest.mark.parametrize("currency", ["EUR", "USD"])
def test_17_a_round_has_one_currency_from_its_deal_on(currency: str) -> None:
    story = tell("P 5,6 | U A | H 7 | T", "insure double settle", currency=currency)
    opened, *later = story.log
    assert isinstance(opened, RoundOpened)
    assert opened.currency == currency
    assert not [event for event in later if "currency" in event._fields]
    commands = (Act, Insure, Settle)
    assert not [command for command in commands if "currency" in command._fields]


def test_18_the_first_wagers_stay_known_after_a_double_and_a_split() -> None:
    doubled = tell("P 5,6 | U T | H 7 | T", "double", bets=[25])
    assert [(box.box, box.wager) for box in doubled.round.boxes] == [(1, 2500)]
    split = tell(
        "P 8,8 / T,9 | U T | H 7 | 2,3",
        "split stand stand stand",
        at=PROGRESSIVE,
        bets=[25, 10],
        boxes=[1, 3],
    )
    wagers = [(box.box, box.wager) for box in split.round.boxes]
    assert wagers == [(1, 2500), (3, 1000)]


def test_20_every_stake_pays_what_fractions_say() -> None:
    odds: dict[Result, Fraction] = {
        "natural": Fraction(5, 2),
        "win": Fraction(2),
        "push": Fraction(1),
        "lose": Fraction(0),
        "bust": Fraction(0),
    }
    wrong = [
        (stake, result)
        for stake in range(1, 100_001)
        for result, pays in odds.items()
        if result != "natural" or stake % 2 == 0
        if payout_of(CLASSIC, stake, result) != pays * stake
    ]
    assert wrong == []


def test_20_a_stake_that_would_need_rounding_is_never_paid() -> None:
    ratio = Ratio(3, 2)
    for stake in range(1, 100_001):
        exact = Fraction(3, 2) * stake
        assert ratio.is_exact_for(stake) is (exact.denominator == 1)
    with pytest.raises(AssertionError, match="step is not exact"):
        ratio.of(1)


def test_21_each_hand_of_a_split_has_its_own_result() -> None:
    story = tell("P 8,8 | U T | H 9 | 5,A,T", "split hit stand")
    assert (story.results, story.net) == ("bust push", -10)


@pytest.mark.parametrize("table", [CLASSIC, PROGRESSIVE, SHARED])
def test_22_split_aces_ask_for_nothing_more(table: TableRules) -> None:
    story = tell("P A,A | U T | H 9 | K,9", "split", at=table)
    assert story.round.status == "awaiting_settlement"
    assert story.results == "win win"
    assert (story.paid("1a"), story.paid("1b"), story.net) == (20, 20, 20)


@every_table
def test_23_a_pair_can_be_split_only_as_the_first_two_cards(table: TableRules) -> None:
    story = tell("P 6,6 | U T | H 7 | A,9", "hit", at=table)
    assert story.actions == "hit stand"
    assert story.refused("split").reason == "not_two_cards"


@every_table
@pytest.mark.parametrize("action", ["hit", "stand", "double", "split"])
def test_24_the_second_hand_waits_for_the_first(table: TableRules, action: str) -> None:
    story = tell("P 8,8 | U T | H 7 | 2,8", "split", at=table)
    command = story.command(action)
    assert isinstance(command, Act)
    refusal = story.refused(command._replace(hand="1b"))
    assert (refusal.code, refusal.reason) == ("action_not_legal", "hand_not_active")
    assert len(story.hand("1b").cards) == 2


@pytest.mark.parametrize("table", [CLASSIC, PROGRESSIVE, SHARED, AMERICAN])
def test_25_a_21_after_a_split_is_no_natural(table: TableRules) -> None:
    moves = "split stand" if table is AMERICAN else "split"
    story = tell("P A,A | U 6 | H 5 | K,9,T", moves, at=table)
    assert (story.results, story.net) == ("push lose", -10)
    wins = tell("P T,T | U 6 | H 5 | A,A,2,7", "split", at=table)
    assert (wins.results, wins.net) == ("win win", 20)


@every_table
def test_26_jack_and_king_are_one_pair_everywhere(table: TableRules) -> None:
    story = tell("P J,K | U T | H 8 | Q,5,9,4,5", at=table)
    assert story.actions == "hit stand double split"
    assert story.hand("1a").total == (20, False)
    story.play("split")
    assert [event for event in story.log if isinstance(event, HandSplit)]
    resplit = story.actions
    assert resplit == (
        "hit stand double split" if table is AMERICAN else "hit stand double"
    )


def test_26_by_rank_jack_and_king_are_no_pair_anywhere() -> None:
    by_rank = varied(AMERICAN, split_on="rank")
    story = tell("P J,K | U T | H 8", at=by_rank)
    assert story.actions == "hit stand double"
    assert story.refused("split").reason == "not_a_pair"
    again = tell("P J,J | U T | H 8 | K,J", "split", at=by_rank)
    assert again.actions == "hit stand double"
    assert again.play("stand").actions == "hit stand double split"


@every_table
def test_27_each_hand_of_a_split_carries_one_bet(table: TableRules) -> None:
    story = tell("P 8,8 | U T | H 7 | 8,T", "split stand stand", at=table)
    assert [hand.stake for hand in story.round.hands] == [1000, 1000]
    assert (story.results, story.net) == ("lose win", 0)


MOST = [100]  # the maximum wager of document 002, whose cap is 250 a hand


@pytest.mark.parametrize(
    ("cards", "moves", "paid", "withheld"),
    [
        ("P A,K | U 9 | H 7", "", [250], 0),
        ("P T,9 | U 9 | H 8", "stand", [200], 0),
        ("P 5,6 | U T | H 8 | T", "double", [250], 15_000),
        ("P 5,6 | U T | H 8 | 7", "double", [200], 0),
        ("P 8,8 | U T | H 7 | T,T", "split stand stand", [200, 200], 0),
        ("P 8,8 | U T | H 8 | 3,3,T,T", "split double double", [250, 250], 30_000),
        ("P 8,8 | U T | H 8 | 3,T,T", "split double stand", [250, 100], 15_000),
    ],
)
def test_28_and_29_the_max_win_holds_on_every_path(
    cards: str, moves: str, paid: list[float], withheld: int
) -> None:
    story = tell(cards, moves, bets=MOST)
    assert [story.paid(hand.name) for hand in story.round.hands] == paid
    cuts = [event for event in story.log if isinstance(event, WinCapped)]
    assert sum(cut.withheld for cut in cuts) == withheld
    settled = story.play("settle")
    assert settled.round.payout == sum(paid) * 100


def test_28_insurance_stands_outside_the_max_win() -> None:
    story = tell("P A,K | U A | H Q", "insure", bets=MOST)
    assert story.box(1).insurance_payout == 15_000
    assert (story.paid("1a"), story.net) == (100, 100)


def test_28_the_bonus_stands_outside_the_max_win() -> None:
    capped = varied(PROGRESSIVE, max_win=MaxWin(Ratio(2, 1), "hand"))
    story = tell(
        "P AH,AD | U T | H 7 | AH,AD", "hit hit stand", at=capped, bonus=[1], bets=[10]
    )
    assert story.round.due == 7_500_000


def test_29_history_holds_the_computed_and_the_paid_amount() -> None:
    story = tell("P 5,6 | U T | H 8 | T", "double settle", bets=MOST)
    hand = fold(story.log).hands[0]
    assert (hand.payout, hand.withheld) == (40_000, 15_000)


@every_table
def test_the_settlement_pays_once(table: TableRules) -> None:
    story: Story = tell("P T,9 | U T | H 8", "stand settle", at=table)
    assert story.words == ["round_settled"]
    assert story.refused("settle").code == "round_settled"
