"""The bonus on consecutive aces: what counts, what each line pays, when it is paid."""

from itertools import product

import pytest

from service.rules.cards import SUITS, Card, is_red
from service.rules.table import BONUS_LINES, MaxWin, Ratio
from tests.rules.rig import Story, suited, tell
from tests.rules.tables import AMERICAN, PROGRESSIVE, SHARED, varied

PAYS = {
    "two_unsuited_aces": 25,
    "two_suited_aces": 100,
    "three_unsuited_aces": 250,
    "three_suited_aces": 2_500,
    "four_unsuited_aces": 1_500,
    "four_aces_of_one_colour": 75_000,
}


def bonus(cards: str, moves: str) -> tuple[str | None, int, bool]:
    """Return the line, the payout in units, and whether it is the jackpot."""
    story = tell(cards, moves, at=PROGRESSIVE, bonus=[1])
    resolved = story.box(1).bonus
    assert resolved is not None
    return resolved.line, resolved.payout // 100, resolved.jackpot


def test_the_paytable_of_document_000() -> None:
    assert PROGRESSIVE.bonus_pays == PAYS
    assert tuple(PAYS) == BONUS_LINES
    assert PROGRESSIVE.limits["USD"].bonus_wager == 100


@pytest.mark.parametrize(
    ("first", "drawn", "line"),
    [
        ("AS,AH", "5", "two_unsuited_aces"),
        ("AS,AC", "5", "two_unsuited_aces"),  # one colour is not one suit
        ("AS,AS", "5", "two_suited_aces"),
        ("AS,AH", "AC", "three_unsuited_aces"),
        ("AS,AS", "AH", "three_unsuited_aces"),
        ("AS,AC", "AS", "three_unsuited_aces"),
        ("AS,AS", "AS", "three_suited_aces"),
        ("AS,AH", "AC,AD", "four_unsuited_aces"),
        ("AS,AC", "AS,AH", "four_unsuited_aces"),
        ("AS,AS", "AH,AS", "four_unsuited_aces"),
        ("AS,AC", "AS,AC", "four_aces_of_one_colour"),
        ("AH,AD", "AD,AH", "four_aces_of_one_colour"),
        ("AH,AH", "AH,AH", "four_aces_of_one_colour"),
        # The dearest line on the way is paid: three suited, then another ace.
        ("AS,AS", "AS,AH", "three_suited_aces"),
        ("AS,AS", "AS,AC", "four_aces_of_one_colour"),
    ],
)
def test_each_line_pays_what_the_paytable_says(
    first: str, drawn: str, line: str
) -> None:
    moves = "hit " * len(drawn.split(",")) + "stand"
    expected = (line, PAYS[line], line == "four_aces_of_one_colour")
    assert bonus(f"P {first} | U T | H 7 | {drawn}", moves) == expected


@pytest.mark.parametrize(
    ("cards", "moves"),
    [
        ("P AS,K | U 9 | H 7", ""),
        ("P K,AS | U 9 | H 7", ""),
        ("P 5,AS | U T | H 7 | AS", "hit stand"),
        ("P AS,5 | U T | H 7 | AS,AS", "hit hit stand"),
        ("P T,9 | U T | H 7", "stand"),
    ],
)
def test_aces_count_from_the_first_card_on_without_a_gap(
    cards: str, moves: str
) -> None:
    assert bonus(cards, moves) == (None, 0, False)


def test_only_the_first_four_cards_count() -> None:
    four = bonus("P AS,AH | U T | H 7 | AC,AD,AS", "hit hit hit stand")
    assert four == ("four_unsuited_aces", 1500, False)


def test_a_card_between_aces_ends_the_run() -> None:
    broken = bonus("P AS,AH | U T | H 7 | 5,AC", "hit hit stand")
    assert broken == ("two_unsuited_aces", 25, False)


def test_a_double_continues_the_run() -> None:
    doubled = bonus("P AS,AS | U T | H 7 | AS", "double")
    assert doubled == ("three_suited_aces", 2500, False)


@pytest.mark.parametrize("drawn", ["AS,AS", "AS,5", "5,AS"])
def test_a_split_freezes_the_run(drawn: str) -> None:
    frozen = bonus(f"P AS,AS | U T | H 7 | {drawn}", "split")
    assert frozen == ("two_suited_aces", 100, False)


def test_a_second_split_leaves_the_frozen_run() -> None:
    again = varied(PROGRESSIVE, split_hands=3, split_aces_resplit=True)
    story = tell("P AS,AS | U T | H 7 | AH,5,6,7", "split split", at=again, bonus=[1])
    assert story.box(1).run == ("AS", "AS")
    assert story.lines[-2] == "bonus_resolved 1 two_suited_aces 10000 False"


def test_another_boxs_split_freezes_nothing_here() -> None:
    story = tell(
        "P AS,AS / 8,8 | U T | H 7 | 5,AS,9,9",
        "hit hit stand split stand stand",
        at=PROGRESSIVE,
        bonus=[1, 1],
    )
    runs = [box.run for box in story.round.boxes]
    assert runs == [None, ("8S", "8H")]


def test_a_bust_does_not_cancel_the_bonus() -> None:
    story = tell("P AS,AH | U T | H 7 | T,T", "hit hit", at=PROGRESSIVE, bonus=[1])
    assert story.results == "bust"
    assert story.net == -10 - 1 + 25


def test_a_dealer_natural_does_not_cancel_the_bonus() -> None:
    story = tell("P AS,AS | U T | H A", at=PROGRESSIVE, bonus=[1])
    assert (story.results, story.net) == ("lose", -10 - 1 + 100)


def test_the_bonus_is_paid_at_the_end_for_one() -> None:
    story = tell("P AS,AS | U T | H 7 | 5", "hit stand", at=PROGRESSIVE, bonus=[1])
    assert story.lines[-2:] == [
        "bonus_resolved 1 two_suited_aces 10000 False",
        "round_decided 1700000000000002",
    ]
    assert (story.results, story.round.due) == ("push", 1_000 + 10_000)
    assert story.play("settle").lines == ["round_settled 1700000000000003 11000"]


def test_a_box_without_the_bonus_wager_wins_no_bonus() -> None:
    story = tell(
        "P AS,AS / AH,AH | U T | H 7", "stand stand", at=PROGRESSIVE, bonus=[0, 1]
    )
    assert story.box(1).bonus is None
    assert story.lines[-2] == "bonus_resolved 2 two_suited_aces 10000 False"
    assert story.net == -10 - 10 - 1 + 100


def test_there_is_no_bonus_where_the_table_has_none() -> None:
    story = tell("P AS,AS | U T | H 7", "stand", at=SHARED)
    assert not [word for word in story.words if word == "bonus_resolved"]


def dearest(aces: str) -> int:
    """Return what a run pays, counted by suits and colours, line after line."""
    best = 0
    for length in range(2, len(aces) + 1):
        run = aces[:length]
        reds = sum(suit in "HD" for suit in run)
        suited_run = run.count(run[0]) == length
        if length == 4 and reds in (0, 4):
            pays = 75_000
        else:
            pays = {2: (25, 100), 3: (250, 2500), 4: (1500, 0)}[length][suited_run]
        best = max(best, pays)
    return best


@pytest.mark.parametrize("length", [2, 3, 4])
def test_every_run_of_aces_pays_its_dearest_line(length: int) -> None:
    for suits in product("SHDC", repeat=length):
        aces = [f"A{suit}" for suit in suits]
        story: Story = tell(
            f"P {aces[0]},{aces[1]} | U T | H 7 | {','.join([*aces[2:], '5'])}",
            "hit " * (length - 1) + "stand",
            at=PROGRESSIVE,
            bonus=[1],
        )
        assert story.hand("1a").cards == suited([*aces, "5S"])
        resolved = story.box(1).bonus
        assert resolved is not None
        assert resolved.payout == dearest("".join(suits)) * 100


ACES = "P AS,AC | U T | H 7 | AS,AC"
"""The jackpot, after two hits."""


def test_a_jackpot_pays_what_was_reserved_as_the_fourth_ace_fell() -> None:
    story = tell(ACES, "hit hit:8123456", at=PROGRESSIVE, bonus=[1])
    assert story.lines == [
        "hand_hit 1a AC player",
        "jackpot_reserved 1 aces 8123456",
    ]
    assert story.box(1).jackpot == (1, "aces", 8_123_456)
    story.play("stand")
    assert story.lines[-2] == ("bonus_resolved 1 four_aces_of_one_colour 8123456 True")
    assert story.play("settle").lines[-1].endswith(" 8123456")
    assert story.net * 100 == 8_123_456 - 1_000 - 100


def test_without_a_meter_the_jackpot_pays_as_the_paytable_says() -> None:
    assert bonus(ACES, "hit hit stand") == ("four_aces_of_one_colour", 75_000, True)


@pytest.mark.parametrize(
    ("cards", "moves"),
    [
        ("P AS,AC | U T | H 7 | AS,5", "hit hit:8123456 stand"),
        ("P AS,AC | U T | H 7 | AS,AH", "hit hit:8123456 stand"),
        ("P AS,AS | U T | H 7 | AS,AH", "hit hit:8123456 stand"),
        ("P AS,AS | U T | H 7 | AS", "double:8123456"),
        ("P AS,AS | U T | H 7 | AS,AS", "split:8123456"),
        ("P 5,AS | U T | H 7 | AS,AS,AS", "hit hit hit:8123456 stand"),
    ],
)
def test_no_other_card_reserves_anything(cards: str, moves: str) -> None:
    story = tell(cards, moves, at=PROGRESSIVE, bonus=[1])
    assert story.box(1).jackpot is None


def test_without_its_wager_a_box_reserves_nothing() -> None:
    story = tell(ACES, "hit hit:8123456 stand", at=PROGRESSIVE)
    assert (story.box(1).jackpot, story.box(1).bonus) == (None, None)


def test_a_table_without_a_bonus_reserves_nothing() -> None:
    story = tell("P AS,AC | U T | H 7 | AS,AC", "hit:8123456 hit:8123456", at=AMERICAN)
    assert story.box(1).jackpot is None


def test_a_fifth_ace_is_ignored() -> None:
    five = "P AS,AC | U T | H 7 | AS,AC,AC"
    story = tell(five, "hit hit:8123456 hit:9999999", at=PROGRESSIVE, bonus=[1])
    assert story.words == ["hand_hit"]
    assert story.box(1).jackpot == (1, "aces", 8_123_456)


def test_two_boxes_hit_one_after_another() -> None:
    story = tell(
        "P AS,AC / AH,AD | U T | H 7 | AS,AC,AH,AD",
        "hit hit:8123456 stand hit hit:7500000 stand settle",
        at=PROGRESSIVE,
        bonus=[1, 1],
    )
    paid = [box.bonus.payout for box in story.round.boxes if box.bonus]
    assert paid == [8_123_456, 7_500_000]
    assert story.round.payout == 8_123_456 + 7_500_000


def test_a_bust_keeps_its_jackpot() -> None:
    story = tell(
        "P AS,AC | U T | H 7 | AS,AC,9,9",
        "hit hit:8123456 hit hit",
        at=PROGRESSIVE,
        bonus=[1],
    )
    assert (story.results, story.round.due) == ("bust", 8_123_456)


def test_an_expired_round_pays_its_jackpot() -> None:
    story = tell(ACES, "hit hit:8123456 expire", at=PROGRESSIVE, bonus=[1])
    assert story.round.status == "void"
    assert story.round.payout == 8_123_456 + 1_000


def test_the_jackpot_stands_outside_the_max_win() -> None:
    capped = varied(PROGRESSIVE, max_win=MaxWin(Ratio(2, 1), "hand"))
    story = tell(
        "P AS,AC / AD,K | U 9 | H 7 | AS,AC,7,9",
        "hit hit:8123456 hit settle",
        at=capped,
        bets=[2_500, 2_500],
        bonus=[1, 0],
    )
    assert story.results == "win natural"
    assert (story.paid("1a"), story.paid("2a")) == (5_000, 5_000)
    assert story.round.payout == 2 * 500_000 + 8_123_456


def test_hearts_and_diamonds_are_red() -> None:
    assert [suit for suit in SUITS if is_red(Card(f"A{suit}"))] == ["H", "D"]
