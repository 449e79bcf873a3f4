"""One example for each value of each setting, on a table that differs in it alone.

A probe plays a small round on the table and says what came of it.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, get_args, get_type_hints

import pytest

from service.rules.commands import Refused
from service.rules.table import (
    BONUS_LINES,
    Limits,
    MaxWin,
    Ratio,
    TableRules,
)
from tests.rules.rig import DAY, tell
from tests.rules.tables import AMERICAN, PROGRESSIVE, varied

Probe = Callable[[TableRules], object]
NAMES: Final = {"version", "table_id", "number", "title"}


def two_boxes_of_one_player(table: TableRules) -> str:
    try:
        tell("P T,9 / T,8 | U T | H 7", at=table, players=["ann", "ann"])
    except Refused as refusal:
        return refusal.code
    return "dealt"


def boxes_taken(table: TableRules) -> int:
    taken = 0
    for box in range(1, 7):
        try:
            tell("P T,9 | U T | H 7", at=table, boxes=[box])
        except Refused:
            continue
        taken += 1
    return taken


def split_to_the_end(table: TableRules) -> int:
    story = tell(f"P 8,8 | U T | H 7 | {','.join('8' * 14)}", at=table)
    while "split" in story.actions:
        story.play("split")
    return len(story.round.hands)


def split_aces(table: TableRules) -> str:
    return tell("P A,A | U T | H 7 | A,5,2,3", "split", at=table).actions


def first_wager(table: TableRules) -> str:
    def asked(bet: float) -> str:
        try:
            story = tell("P T,9 | U T | H 7", at=table, bets=[bet])
        except Refused as refusal:
            return refusal.code.removeprefix("wager_")
        return f"{story.round.stake}"

    return " ".join(asked(bet) for bet in (1, 2, 3, 5, 6, 8))


def below_the_minimum(table: TableRules) -> str:
    try:
        story = tell("P T,9 | U T | H 7", at=table, bets=[0.5], raise_to_minimum=True)
    except Refused as refusal:
        return refusal.code
    return f"{story.box(1).raised_from} -> {story.box(1).wager}"


def best_wins(table: TableRules) -> str:
    """Three boxes bet the maximum: a natural, a doubled win and a plain win."""
    story = tell(
        "P A,K / 5,6 / T,9 | U T | H 8 | T", "double stand", at=table, bets=[500] * 3
    )
    return " ".join(f"{story.paid(hand.name):g}" for hand in story.round.hands)


def aces_in_order(table: TableRules) -> str:
    """The three dearest things that four aces can be, if there is a bonus at all."""
    payouts = []
    for aces in ("AS,AH | U T | H 7", "AS,AS | U T | H 7", "AS,AC | U T | H 7 | AS,AC"):
        hits = "hit hit " if aces.endswith("AC") else ""
        try:
            story = tell(f"P {aces}", f"{hits}stand", at=table, bonus=[1])
        except Refused as refusal:
            return refusal.code
        bonus = story.box(1).bonus
        payouts.append(f"{bonus.payout // 100}" if bonus else "none")
    return " ".join(payouts)


def insurances(table: TableRules) -> object:
    return [entry.boxes for entry in tell("P T,9 / T,8 | U A | H 7", at=table).legal]


PROBES: Final[Mapping[str, Probe]] = {
    "seating": two_boxes_of_one_player,
    "decks": lambda table: table.cards,
    "boxes": boxes_taken,
    "reshuffle": lambda table: table.shoe_is_finished(30),
    "cut_card": lambda table: [table.shoe_is_finished(n) for n in (99, 100, 101)],
    "soft_17": lambda t: tell("P T,8 | U 6 | H A | 4", "stand", at=t).results,
    "split_on": lambda table: tell("P J,K | U T | H 7", at=table).actions,
    "split_hands": split_to_the_end,
    "split_aces_hit": split_aces,
    "split_aces_double": split_aces,
    "split_aces_resplit": split_aces,
    "split_21": lambda t: tell("P T,T | U 6 | H 5 | A,A,T", "split", at=t).results,
    "double_after_split": lambda t: (
        tell("P 8,8 | U T | H 7 | 3,4", "split", at=t).actions
    ),
    "stand_on_21": lambda t: tell("P 7,7 | U T | H 7 | 7", "hit", at=t).round.status,
    "insurance": insurances,
    "natural_pays": lambda table: tell("P A,K | U T | H 7", at=table).net,
    "insurance_pays": lambda t: tell("P T,9 | U A | H T", "insure", at=t).net,
    "under_minimum": below_the_minimum,
    "void_after_days": lambda t: (
        (
            tell("P T,9 | U T | H 7", at=t).command("expire").at
            - tell("P T,9 | U T | H 7", at=t).round.opened.opened_at
        )
        // DAY
    ),
    "on_expiry": lambda t: (
        tell("P A,K / 8,4 / T,6 | U 9 | H 8 | T", "hit expire", at=t).results
    ),
    "limits": first_wager,
    "max_win": best_wins,
    "bonus_pays": aces_in_order,
}


class Example(NamedTuple):
    """A setting's value, what its probe then says, and what must go with it."""

    setting: str
    value: Any
    outcome: object
    along: Mapping[str, Any] = MappingProxyType({})
    base: TableRules = AMERICAN


def money(minimum: int, maximum: int, step: int) -> dict[str, Limits]:
    return {"USD": Limits(minimum, maximum, step, (step,), None)}


RUNNING: Final = {"seating": "shared", "split_hands": 2, "split_aces_resplit": False}
ACES: Final = dict(zip(BONUS_LINES, (3, 7, 11, 13, 17, 19), strict=True))
ROWS: Final[tuple[tuple[Any, ...], ...]] = (
    ("seating", "private", "dealt"),
    ("seating", "shared", "box_not_offered"),
    *(("decks", decks, 52 * decks) for decks in range(2, 9)),
    ("decks", 1, 52, {"boxes": 1}),
    *(("boxes", boxes, boxes) for boxes in range(1, 6)),
    ("reshuffle", "every_round", True),
    ("reshuffle", "cut_card", False, {**RUNNING, "cut_card": 100}),
    ("cut_card", None, [True, True, True]),
    ("cut_card", 100, [False, True, True], {**RUNNING, "reshuffle": "cut_card"}),
    ("soft_17", "stand", "win"),
    ("soft_17", "hit", "lose"),
    ("split_on", "value", "hit stand double split"),
    ("split_on", "rank", "hit stand double"),
    ("split_hands", 1, 1, {"split_aces_resplit": False}),
    ("split_hands", 2, 2, {"split_aces_resplit": False}),
    ("split_hands", 3, 3),
    ("split_hands", 4, 4),
    ("split_aces_hit", True, "hit stand double split"),
    ("split_aces_hit", False, "stand double split"),
    ("split_aces_double", True, "hit stand double split"),
    ("split_aces_double", False, "hit stand split"),
    ("split_aces_resplit", True, "hit stand double split"),
    ("split_aces_resplit", False, "hit stand double"),
    ("split_21", "plain", "push push"),
    ("split_21", "natural", "natural natural"),
    ("double_after_split", True, "hit stand double"),
    ("double_after_split", False, "hit stand", {"split_aces_double": False}),
    ("stand_on_21", True, "awaiting_settlement"),
    ("stand_on_21", False, "playing"),
    ("insurance", "any", [(1, 2), (1,), (2,), ()]),
    ("insurance", "all_or_none", [(1, 2), ()]),
    ("natural_pays", Ratio(3, 2), 15),
    ("natural_pays", Ratio(6, 5), 12),
    ("natural_pays", Ratio(1, 1), 10),
    ("natural_pays", Ratio(2, 1), 20),
    ("insurance_pays", Ratio(2, 1), 0),
    ("insurance_pays", Ratio(1, 1), -5),
    ("insurance_pays", Ratio(5, 2), 2.5),
    ("under_minimum", "raise", "50 -> 100"),
    ("under_minimum", "refuse", "wager_below_minimum"),
    *(("void_after_days", days, days) for days in (1, 30, 90, 3650)),
    ("on_expiry", "void", "natural bust void"),
    ("on_expiry", "auto_stand", "natural bust lose"),
    ("on_expiry", "forfeit", "natural bust forfeit"),
    ("limits", money(100, 600, 100), "100 200 300 500 600 above_maximum"),
    ("limits", money(200, 800, 200), "below_minimum 200 off_step off_step 600 800"),
    ("max_win", None, "1250 2000 1000"),
    ("max_win", MaxWin(Ratio(2, 1), "hand"), "1000 1000 1000"),
    ("max_win", MaxWin(Ratio(5, 2), "hand"), "1250 1250 1000"),
    ("max_win", MaxWin(Ratio(1, 1), "stake"), "500 1000 500"),
    ("max_win", MaxWin(Ratio(3, 2), "stake"), "750 1500 750"),
    (
        "max_win",
        MaxWin(Ratio(22, 1), "round"),
        "1250 2000 1000",
        {"boxes": 3, "split_hands": 2, "split_aces_resplit": False},
    ),
    ("bonus_pays", None, "bonus_not_offered"),
    ("bonus_pays", ACES, "3 7 19", {}, PROGRESSIVE),
    ("bonus_pays", {**ACES, BONUS_LINES[0]: 23}, "23 7 23", {}, PROGRESSIVE),
)
EXAMPLES: Final = tuple(Example(*row) for row in ROWS)


def table_of(example: Example) -> TableRules:
    return varied(example.base, **example.along, **{example.setting: example.value})


@pytest.mark.parametrize(
    "example",
    EXAMPLES,
    ids=[f"{example.setting}-{example.value}" for example in EXAMPLES],
)
def test_setting_does_what_it_says(example: Example) -> None:
    assert PROBES[example.setting](table_of(example)) == example.outcome


def values_of(setting: str) -> set[object]:
    """Return the values that a setting may have, where they can be listed."""
    kind = get_type_hints(TableRules)[setting]
    listed: dict[str, set[object]] = {
        "decks": set(range(1, 9)),
        "boxes": set(range(1, 6)),
        "split_hands": set(range(1, 5)),
    }
    return listed.get(setting, {True, False} if kind is bool else set(get_args(kind)))


@pytest.mark.parametrize("setting", sorted(get_type_hints(TableRules).keys() - NAMES))
def test_no_setting_and_no_value_is_without_example(setting: str) -> None:
    shown = [example.value for example in EXAMPLES if example.setting == setting]
    assert len({repr(value) for value in shown}) > 1
    listed = {value for value in values_of(setting) if isinstance(value, str | int)}
    assert listed <= {value for value in shown if isinstance(value, str | int)}


def test_every_basis_of_a_max_win_has_an_example() -> None:
    bases = {
        example.value.basis for example in EXAMPLES if isinstance(example.value, MaxWin)
    }
    assert bases == set(get_args(get_type_hints(MaxWin)["basis"]))


def test_outcomes_of_one_probe_differ() -> None:
    for setting in PROBES:
        outcomes = [str(e.outcome) for e in EXAMPLES if e.setting == setting]
        assert len(set(outcomes)) > 1
