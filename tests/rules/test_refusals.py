"""Each way to be refused, by its code and its words; nothing has happened then."""

from typing import Final, NamedTuple, get_args

import pytest

from service.rules.commands import Act, BoxWager, Code, Insure, Refused, Settle
from service.rules.decide import decide
from service.rules.legal import Action, Reason
from service.rules.table import TableRules
from tests.rules.rig import OPENED, Story, deal_of, shoe_of, tell
from tests.rules.tables import AMERICAN, CLASSIC, PROGRESSIVE, SHARED, varied

PLAYING: Final = "P 5,6 / T,9 | U T | H 7 | 2,3"
ASKED: Final = "P T,9 / T,8 | U A | H 7"


class Case(NamedTuple):
    """A round, a move that it refuses, and how."""

    story: Story
    move: str | Act | Insure | Settle
    code: Code
    reason: str | None
    detail: str


def act(hand: str, action: Action, player: str = "ann") -> Act:
    return Act(player, hand, action, OPENED + 1)


def rows() -> list[Case]:
    no_double = varied(AMERICAN, double_after_split=False, split_aces_double=False)
    no_more = varied(AMERICAN, split_aces_hit=False, split_aces_resplit=False)
    playing, asked = tell(PLAYING), tell(ASKED)
    shared = tell(PLAYING, at=SHARED)
    decided = tell("P T,9 | U T | H 7", "stand")
    voided = tell(PLAYING, "expire")
    split = tell("P 8,8 | U T | H 7 | 3,4", "split", at=no_double)
    aces = tell("P A,A | U T | H 7 | A,5", "split", at=no_more)
    illegal: Code = "action_not_legal"
    return [
        Case(
            *(playing, act("1b", "hit"), illegal, "hand_unknown"),
            "No hand 1b; this round has 1a, 2a.",
        ),
        Case(
            *(shared, act("1a", "hit", "bob"), illegal, "not_your_hand"),
            "Hand 1a is another player's.",
        ),
        Case(
            *(playing, act("2a", "hit"), illegal, "hand_not_active"),
            "Hand 2a waits; hand 1a is playing.",
        ),
        Case(
            *(tell(PLAYING, "stand"), act("1a", "hit"), illegal, "hand_finished"),
            "Hand 1a is finished; hand 2a is playing.",
        ),
        Case(
            *(tell(PLAYING, "hit"), "double", illegal, "not_two_cards"),
            "Hand 1a may not double: that goes with the first two cards only.",
        ),
        Case(
            *(tell(PLAYING, "hit"), "split", illegal, "not_two_cards"),
            "Hand 1a may not split: that goes with the first two cards only.",
        ),
        Case(
            *(playing, "split", illegal, "not_a_pair"),
            "Hand 1a may not split: its two cards are no pair at this table.",
        ),
        Case(
            *(tell("P 8,8 | U T | H 7 | 8,3", "split"), "split"),
            *(illegal, "split_limit"),
            "Hand 1a may not split: its box has as many hands as this table allows.",
        ),
        Case(
            *(split, "double", illegal, "double_after_split"),
            "Hand 1a may not double: this table has no double after a split.",
        ),
        Case(
            *(aces, "hit", illegal, "split_aces"),
            "Hand 1a may not hit: this table does not allow it on split aces.",
        ),
        Case(
            *(tell("P A,A | U T | H 7 | A,5", "split", at=no_double), "double"),
            *(illegal, "split_aces"),
            "Hand 1a may not double: this table does not allow it on split aces.",
        ),
        Case(
            *(aces, "split", illegal, "split_aces"),
            "Hand 1a may not split: this table does not allow it on split aces.",
        ),
        Case(
            *(asked, act("1a", "hit"), "insurance_open", None),
            "Answer the insurance first.",
        ),
        Case(
            *(playing, Insure("ann", (), OPENED), "insurance_not_open", None),
            "Insurance is not offered now.",
        ),
        Case(
            *(tell(ASKED, "pass", at=SHARED), Insure("ann", (1,), OPENED)),
            *("insurance_answered", None),
            "Your boxes have all answered.",
        ),
        Case(
            *(asked, Insure("ann", (1, 3), OPENED), "box_not_yours", None),
            "You can insure your boxes [1, 2], and each only once.",
        ),
        Case(
            *(tell(ASKED, at=PROGRESSIVE), Insure("ann", (2,), OPENED)),
            *("insurance_all_or_none", None),
            "This table insures all of your boxes [1, 2] or none.",
        ),
        Case(
            *(playing, "settle", "round_not_decided", None),
            "Hands still wait for a decision; settle when none does.",
        ),
        Case(
            *(asked, "settle", "round_not_decided", None),
            "Hands still wait for a decision; settle when none does.",
        ),
        Case(
            *(decided, act("1a", "hit"), "round_decided", None),
            "Nothing is left to decide; the round waits for its settlement.",
        ),
        Case(
            *(decided, "expire", "round_decided", None),
            "Nothing is left to decide; the round waits for its settlement.",
        ),
        Case(
            *(tell("P T,9 | U T | H 7", "stand settle"), "settle"),
            *("round_settled", None),
            "The round is settled; it is over.",
        ),
        Case(
            *(voided, "settle", "round_void", None),
            "The round expired and was voided.",
        ),
        Case(
            *(tell(PLAYING, "malfunction"), "settle", "round_malfunction", None),
            "The round malfunctioned: it counts for nothing, and is over.",
        ),
        Case(
            *(playing, act("1a", "hit")._replace(at=2**60), "round_expired", None),
            "The round was left open too long: it can be read, not played.",
        ),
        Case(
            *(asked, Insure("ann", (), 2**60), "round_expired", None),
            "The round was left open too long: it can be read, not played.",
        ),
    ]


CASES: Final = rows()


@pytest.mark.parametrize("case", CASES, ids=[f"{c.code}-{c.reason}" for c in CASES])
def test_a_move_is_refused_with_its_code_and_reason(case: Case) -> None:
    refusal = case.story.refused(case.move)
    assert (refusal.code, refusal.reason) == (case.code, case.reason)
    assert refusal.detail == str(refusal) == case.detail
    assert refusal.problems == ()


def test_a_round_is_not_expired_before_its_time() -> None:
    story = tell(PLAYING)
    expire = story.command("expire")._replace(at=OPENED)
    refusal = story.refused(expire)
    assert (refusal.code, refusal.detail) == (
        "round_not_expired",
        "The round's time is not over yet.",
    )


DEALS: Final[list[tuple[TableRules, BoxWager, Code, int | None, str]]] = [
    (
        *(CLASSIC, BoxWager(4, "ann", 1000), "box_not_offered", 3),
        "Box 4 is not offered; this table has boxes 1 to 3.",
    ),
    (
        *(CLASSIC, BoxWager(1, "ann", 1000), "box_repeated", None),
        "Box 1 stands twice in this deal; each box is bet once.",
    ),
    (
        *(SHARED, BoxWager(2, "ann", 1000), "box_not_offered", None),
        "At a shared table a player has one box.",
    ),
    (
        *(CLASSIC, BoxWager(2, "ann", 50), "wager_below_minimum", 100),
        "A wager is at least 100; 50 is below it.",
    ),
    (
        *(CLASSIC, BoxWager(2, "ann", 10_100), "wager_above_maximum", 10_000),
        "A wager is at most 10000; 10100 is above it.",
    ),
    (
        *(CLASSIC, BoxWager(2, "ann", 1050), "wager_off_step", 100),
        "A wager is a multiple of 100; 1050 is not, 1000 would be.",
    ),
    (
        *(CLASSIC, BoxWager(2, "ann", 1000, 100), "bonus_not_offered", 0),
        "This table has no bonus wager.",
    ),
    (
        *(PROGRESSIVE, BoxWager(2, "ann", 1000, 200), "bonus_wager_wrong", 100),
        "A bonus wager is exactly 100; 200 is not.",
    ),
]


@pytest.mark.parametrize(("table", "box", "code", "accepted", "detail"), DEALS)
def test_a_deal_is_refused_with_what_would_be_right(
    table: TableRules, box: BoxWager, code: Code, accepted: int | None, detail: str
) -> None:
    boxes = (BoxWager(1, "ann", 1000), box)
    deal = deal_of(table, [10])._replace(boxes=boxes)
    with pytest.raises(Refused) as caught:
        decide(None, deal, shoe_of("P 2,2 | U 2 | H 2"))
    refusal = caught.value
    (problem,) = refusal.problems
    assert (refusal.code, refusal.detail) == (problem.code, problem.detail)
    assert (problem.code, problem.accepted) == (code, accepted)
    assert problem.detail == detail
    assert problem.box == box.box
    assert problem.pointer.startswith("/boxes/1/")


@pytest.mark.parametrize(
    ("table", "taken"),
    [
        (PROGRESSIVE, "USD"),
        (SHARED, "USD"),
        (CLASSIC, "EUR, USD"),
        (AMERICAN, "EUR, USD"),
    ],
)
def test_a_currency_that_the_table_does_not_take_is_refused(
    table: TableRules, taken: str
) -> None:
    deal = deal_of(table, [10], currency="GBP")
    with pytest.raises(Refused) as caught:
        decide(None, deal, shoe_of("P 2,2 | U 2 | H 2"))
    assert caught.value.code == "currency_not_offered"
    assert caught.value.detail == f"Table {table.table_id} takes {taken}, not GBP."


def test_no_code_and_no_reason_is_without_example() -> None:
    elsewhere = {"round_not_expired", "currency_not_offered", "wager_above_own_limit"}
    codes = {case.code for case in CASES} | {code for _, _, code, _, _ in DEALS}
    assert codes | elsewhere == set(get_args(Code))
    reasons = {case.reason for case in CASES} - {None}
    assert reasons >= set(get_args(Reason))


def test_a_refusal_lists_what_all_wagers_would_be() -> None:
    boxes = (BoxWager(1, "ann", 50), BoxWager(2, "ann", 1000), BoxWager(3, "ann", 199))
    deal = deal_of(PROGRESSIVE, [10])._replace(boxes=boxes)
    with pytest.raises(Refused) as caught:
        decide(None, deal, shoe_of("P 2,2 | U 2 | H 2"))
    assert [(p.pointer, p.accepted) for p in caught.value.problems] == [
        ("/boxes/0/wager", 200),
        ("/boxes/2/wager", 200),
    ]
    raised = tell(
        "P T,9 / T,8 / T,7 | U T | H 7",
        at=PROGRESSIVE,
        bets=[0.5, 10, 1.99],
        raise_to_minimum=True,
    )
    assert [(box.wager, box.raised_from) for box in raised.round.boxes] == [
        *((200, 50), (1000, None), (200, 199)),
    ]
