"""Settings that are each fine and contradict each other are refused."""

import pytest

from service.rules.table import MOST_MONEY, longest_round
from service.tablefile import parse_table
from tests.rules.tables import CLASSIC, faults_of, table_text, with_line

TEXT = table_text("classic-three")
SHARED_TEXT = table_text("shared-five")
BONUS_TEXT = table_text("progressive-five")
FULL = "a round may need {} of the 416 cards; the last place for it is {}"


def test_a_bonus_that_could_pay_more_than_money_can_count_is_refused() -> None:
    text = with_line(BONUS_TEXT, "bonus_wager", "bonus_wager = 180_143_985")
    text = with_line(
        text, "four_aces_of_one_colour", "four_aces_of_one_colour = 10_000_000"
    )
    assert parse_table(text, "mine.toml").bonus_pays
    text = with_line(text, "bonus_wager", "bonus_wager = 180_143_986")
    assert 5 * 10_000_000 * 180_143_985 <= MOST_MONEY < 5 * 10_000_000 * 180_143_986
    assert faults_of(text) == [
        "limits.USD.bonus_wager: 5 x 180143986 x 10000000 is too much"
    ]


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        (
            {"cut_card": None},
            ["cut_card: goes with reshuffle = 'cut_card', and only with it"],
        ),
        (
            {"reshuffle": '"every_round"'},
            ["cut_card: goes with reshuffle = 'cut_card', and only with it"],
        ),
        (
            {"seating": '"private"'},
            ["reshuffle: a running shoe needs seating = 'shared'"],
        ),
        (
            {"cut_card": "304"},
            [f"cut_card: {FULL.format(114, 303)}"],
        ),
        (
            {"cut_card": "302", "stand_on_21": "false"},
            [f"cut_card: {FULL.format(116, 301)}"],
        ),
        (
            {"split_aces_resplit": "true"},
            ["split_aces_resplit: needs split_hands above 2"],
        ),
        (
            {"split_aces_double": "true", "double_after_split": "false"},
            ["split_aces_double: needs double_after_split"],
        ),
        (
            {"cut_card": "1", "decks": "1", "split_hands": "4"},
            ["decks: a round may need 73 of the 52 cards"],
        ),
    ],
)
def test_settings_that_contradict_each_other_are_told(
    changes: dict[str, str | None], faults: list[str]
) -> None:
    text = SHARED_TEXT
    for key, value in changes.items():
        text = with_line(text, key, value and f"{key} = {value}")
    assert faults_of(text) == faults


@pytest.mark.parametrize(
    "changes",
    [
        {"cut_card": "303"},
        {"cut_card": "301", "stand_on_21": "false"},
        {"cut_card": "2", "decks": "1"},
        {"cut_card": "1", "decks": "1", "stand_on_21": "false"},
        {"split_aces_resplit": "true", "split_hands": "3"},
        {"split_aces_double": "true"},
    ],
)
def test_settings_at_the_edge_of_a_contradiction_are_taken(
    changes: dict[str, str],
) -> None:
    text = SHARED_TEXT
    for key, value in changes.items():
        text = with_line(text, key, f"{key} = {value}")
    table = parse_table(text, "mine.toml")
    assert table.version != CLASSIC.version


def test_a_round_may_need_the_whole_shoe() -> None:
    text = with_line(TEXT, "decks", "decks = 1")
    text = with_line(text, "boxes", "boxes = 5")
    text = with_line(text, "stand_on_21", "stand_on_21 = false")
    table = parse_table(text, "mine.toml")
    assert longest_round(1, 5 * table.split_hands + 1, 21) == table.cards


def test_a_table_may_take_one_wager_alone() -> None:
    text = TEXT.replace("minimum = 100", "minimum = 10_000")
    limits = parse_table(text, "mine.toml").limits["USD"]
    assert limits.minimum == limits.maximum == 10_000


def test_a_bonus_needs_its_wager_and_its_paytable() -> None:
    told = "limits.USD.bonus_wager: goes with a [bonus] section, and only with it"
    assert faults_of(with_line(BONUS_TEXT, "bonus_wager", None)) == [told]
    assert faults_of(BONUS_TEXT.partition("[bonus]")[0]) == [told]


@pytest.mark.parametrize(
    ("basis", "natural", "least"),
    [
        ("hand", "3:2", 2),
        ("stake", "3:2", 1),
        ("round", "3:2", 4 * 5 + 2),
        ("round", "3:1", 4 * 5 + 2),
        ("round", "7:2", 5 * 5 + 2),
        ("round", "4:1", 5 * 5 + 2),
    ],
)
def test_a_max_win_under_which_a_win_costs_money_is_refused(
    basis: str, natural: str, least: int
) -> None:
    text = TEXT.replace('basis = "hand"', f'basis = "{basis}"')
    text = text.replace('natural_pays = "3:2"', f'natural_pays = "{natural}"')
    fine = with_line(text, "multiple", f'multiple = "{least}:1"')
    assert parse_table(fine, "mine.toml").max_win
    poor = with_line(text, "multiple", f'multiple = "{least * 100 - 1}:100"')
    (fault,) = faults_of(poor)
    assert fault.startswith("max_win.multiple: a win could pay less than its stake; ")
    assert fault.endswith(f"with basis '{basis}' it must be at least {least}:1")


def test_a_max_win_is_a_whole_amount() -> None:
    told = "maximum: times max_win.multiple must be a whole number"
    assert faults_of(with_line(TEXT, "multiple", 'multiple = "7:3"')) == [
        f"limits.EUR.{told}",
        f"limits.USD.{told}",
    ]


@pytest.mark.parametrize(
    ("decks", "hands", "highest", "cards"),
    [
        (8, 11, 20, 114),
        (6, 7, 20, 77),
        (6, 21, 20, 151),
        (1, 2, 20, 18),
        (1, 11, 21, 52),
        (1, 21, 20, 73),
    ],
)
def test_the_longest_round_is_counted(
    decks: int, hands: int, highest: int, cards: int
) -> None:
    assert longest_round(decks, hands, highest) == cards
