"""The max win: what it cuts, by hand, by stake and by round, and who is told before."""

import pytest

from service.rules.events import RoundOpened, WinCapped
from service.rules.legal import LegalAction, cap_of
from service.rules.table import MaxWin, Ratio, TableRules
from tests.rules.rig import Story, tell
from tests.rules.tables import AMERICAN, CLASSIC, varied

BY_HAND = varied(CLASSIC, max_win=MaxWin(Ratio(2, 1), "hand"))
BY_STAKE = varied(CLASSIC, max_win=MaxWin(Ratio(3, 2), "stake"))
BY_ROUND = varied(CLASSIC, max_win=MaxWin(Ratio(22, 1), "round"))
NATURALS = varied(
    CLASSIC, max_win=MaxWin(Ratio(2, 1), "stake"), split_21="natural", boxes=1
)


def told(story: Story) -> dict[str, int | None]:
    """Return what is told of each legal action: the most that it can be paid."""
    return {
        entry.action: None if entry.max_payout is None else entry.max_payout // 100
        for entry in story.legal
        if entry.action
    }


def free(*actions: str) -> dict[str, int | None]:
    """Return that no cap binds these actions."""
    return dict.fromkeys(actions)


@pytest.mark.parametrize(
    ("table", "cap"),
    [(AMERICAN, None), (CLASSIC, 25_000), (BY_STAKE, 15_000), (BY_ROUND, 220_000)],
)
def test_the_max_win_in_force_is_fixed_at_the_deal(
    table: TableRules, cap: int | None
) -> None:
    opened = tell("P T,9 | U T | H 7", at=table, bets=[1]).log[0]
    assert isinstance(opened, RoundOpened)
    assert opened.max_win == cap


@pytest.mark.parametrize(
    ("table", "bet", "expected"),
    [
        (CLASSIC, 62, free("hit", "stand", "double", "split")),
        (CLASSIC, 63, {**free("hit", "stand", "split"), "double": 250}),
        (CLASSIC, 100, {**free("hit", "stand", "split"), "double": 250}),
        (BY_HAND, 100, {**free("hit", "stand", "split"), "double": 200}),
        (BY_STAKE, 75, free("hit", "stand", "double", "split")),
        (BY_STAKE, 76, {"hit": 150, "stand": 150, "double": 300, "split": 300}),
        (BY_STAKE, 100, {"hit": 150, "stand": 150, "double": 300, "split": 300}),
        (BY_ROUND, 100, free("hit", "stand", "double", "split")),
        (AMERICAN, 500, free("hit", "stand", "double", "split")),
    ],
)
def test_an_action_that_the_cap_would_cut_says_so(
    table: TableRules, bet: int, expected: dict[str, int | None]
) -> None:
    assert told(tell("P 8,8 | U T | H 7", at=table, bets=[bet])) == expected


def test_each_hand_of_a_split_is_told_of_its_own_cap() -> None:
    story = tell("P 8,8 | U T | H 7 | 3,3", "split", bets=[100])
    assert told(story) == {**free("hit", "stand"), "double": 250}


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        # A natural after a split would be paid 250, and the cap is 200.
        ("P T,K | U T | H 7", {**free("hit", "stand", "double"), "split": 400}),
        ("P A,A | U T | H 7", {**free("hit", "stand", "double"), "split": 400}),
        # Eights make no natural, and a hand that has not split makes none either.
        ("P 8,8 | U T | H 7", free("hit", "stand", "double", "split")),
        ("P T,4 | U T | H 7", free("hit", "stand", "double")),
    ],
)
def test_a_natural_after_a_split_counts_where_it_can_come(
    cards: str, expected: dict[str, int | None]
) -> None:
    assert told(tell(cards, at=NATURALS, bets=[100])) == expected


@pytest.mark.parametrize(
    ("multiple", "natural_pays", "told_of_a_split"),
    [
        (Ratio(5, 2), Ratio(3, 2), None),  # a natural pays 250, the cap is 250
        (Ratio(49, 20), Ratio(3, 2), 490),  # the cap is 245
        (Ratio(7, 4), Ratio(1, 2), 350),  # a natural pays 150, a win 200
        (Ratio(2, 1), Ratio(1, 2), None),
    ],
)
def test_the_best_of_a_split_is_a_natural_or_a_win(
    multiple: Ratio, natural_pays: Ratio, told_of_a_split: int | None
) -> None:
    table = varied(
        NATURALS, max_win=MaxWin(multiple, "stake"), natural_pays=natural_pays
    )
    story = tell("P T,K | U T | H 7", at=table, bets=[100])
    assert told(story)["split"] == told_of_a_split


def test_a_plain_21_after_a_split_is_no_natural_for_the_cap() -> None:
    plain = varied(NATURALS, split_21="plain")
    story = tell("P T,K | U T | H 7", at=plain, bets=[100])
    assert told(story) == free("hit", "stand", "double", "split")


def all_doubled(boxes: int, table: TableRules, losing: str = "") -> Story:
    """Return three boxes that split eights and double every hand, one to go."""
    pairs = " / ".join(["8,8"] * boxes)
    draws = [*("3", "3", "T", "T") * boxes]
    for hand in losing.split():
        draws[int(hand)] = "2"
    story = tell(f"P {pairs} | U T | H 8 | {','.join(draws)}", at=table, bets=[100] * 3)
    return story.play("split double double " * (boxes - 1) + "split double")


def test_by_round_the_hands_are_paid_in_order_and_the_last_are_cut() -> None:
    story = all_doubled(3, BY_ROUND)
    assert told(story) == {"hit": None, "stand": None, "double": 2200}
    story.play("double")
    assert [story.paid(hand.name) for hand in story.round.hands] == [400] * 5 + [200]
    cuts = [event for event in story.log if isinstance(event, WinCapped)]
    assert cuts == [WinCapped("3b", 20_000)]


def test_by_round_a_lost_hand_leaves_its_share_to_the_others() -> None:
    story = all_doubled(3, BY_ROUND, losing="2").play("double")
    assert story.results == "lose win win win win win"
    assert story.net == 800
    assert not [event for event in story.log if isinstance(event, WinCapped)]


def test_by_round_a_bust_hand_can_be_paid_nothing() -> None:
    story = tell(
        "P 8,8 / 8,8 / 8,8 | U T | H 8 | 3,T,T,T,3,3,T,T,3,3,T",
        "split double double split double double split double",
        at=BY_ROUND,
        bets=[100] * 3,
    )
    assert story.hand("1b").state == "busted"
    assert told(story) == free("hit", "stand", "double")


def test_by_round_a_waiting_natural_counts_with_its_own_odds() -> None:
    tight = varied(
        CLASSIC,
        boxes=2,
        split_hands=1,
        natural_pays=Ratio(2, 1),
        max_win=MaxWin(Ratio(6, 1), "round"),
    )
    story = tell("P 6,5 / A,K | U T | H 8 | T", at=tight, bets=[100] * 2)
    assert told(story) == {"hit": None, "stand": None, "double": 600}
    story.play("double")
    assert [story.paid(hand.name) for hand in story.round.hands] == [400, 200]


def test_the_cap_of_a_hand_follows_the_basis() -> None:
    caps = {
        table.max_win.basis if table.max_win else None: [
            cap_of(tell("P T,9 | U T | H 7", at=table).round, 1_000, stake)
            for stake in (1_000, 2_000)
        ]
        for table in (AMERICAN, BY_HAND, BY_STAKE, BY_ROUND)
    }
    assert caps == {
        None: [None, None],
        "hand": [20_000, 20_000],
        "stake": [15_000, 30_000],
        "round": [None, None],
    }
    assert {type(cap) for cap in caps["stake"]} == {int}


def test_what_is_told_is_what_is_paid_when_the_best_comes() -> None:
    for bet in range(60, 101):
        story = tell("P 5,6 | U T | H 8 | T", bets=[bet])
        most = told(story)["double"]
        assert story.play("double").paid("1a") == (4 * bet if most is None else most)


def test_legal_actions_tell_the_cost_and_the_hand() -> None:
    story = tell("P 8,8 | U T | H 7", bets=[100])
    assert story.legal == (
        LegalAction("act", "1a", "hit", None, 0, None),
        LegalAction("act", "1a", "stand", None, 0, None),
        LegalAction("act", "1a", "double", None, 10_000, 25_000),
        LegalAction("act", "1a", "split", None, 10_000, None),
    )
    assert tell("P 8,8 | U T | H 7", "stand").legal == (
        LegalAction("settle", None, None, None, 0, None),
    )
    for over in ("stand settle", "expire"):
        assert tell("P T,9 | U T | H 7", over).legal == ()
    asked = tell("P T,9 / T,8 | U A | H 7", bets=[100, 50])
    assert asked.legal == (
        LegalAction("insure", None, None, (1, 2), 7500, None),
        LegalAction("insure", None, None, (1,), 5000, None),
        LegalAction("insure", None, None, (2,), 2500, None),
        LegalAction("insure", None, None, (), 0, None),
    )
