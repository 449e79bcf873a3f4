"""What other games got wrong about the dealer, the shoe, bets, time and the log.

The numbers are those of faults.toml, which says where each fault is shown.
"""

from collections import Counter

import pytest

from service.rules.cards import deck_order
from service.rules.commands import Act, BoxWager, Deal, Refused
from service.rules.decide import decide
from service.rules.events import RoundOpened
from service.rules.fold import fold
from service.rules.table import TableRules
from tests.rules.rig import (
    OPENED,
    Rigged,
    Story,
    deal_of,
    tell,
)
from tests.rules.tables import (
    AMERICAN,
    CLASSIC,
    PROGRESSIVE,
    SHARED,
    TABLES,
)

every_table = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))


@every_table
def test_37_the_dealer_does_not_draw_when_every_hand_is_bust(table: TableRules) -> None:
    story = tell("P T,6 / T,6 | U 6 | H T | T,T,T", "hit hit", at=table)
    assert story.results == "bust bust"
    assert (len(story.round.dealer), story.unused) == (2, 1)
    assert story.words[-4:-3] == ["hole_card_revealed"]


@every_table
def test_37_the_dealer_does_not_draw_for_naturals_alone(table: TableRules) -> None:
    story = tell("P A,K / T,6 | U 6 | H 9 | T,T", "hit", at=table)
    assert story.results == "natural bust"
    assert (len(story.round.dealer), story.unused) == (2, 1)


@every_table
def test_38_the_dealer_waits_for_the_last_hand(table: TableRules) -> None:
    story = tell("P T,9 / T,8 | U 6 | H T | 5", "stand", at=table)
    assert story.words == ["hand_stood"]
    assert (len(story.round.dealer), story.round.status) == (1, "playing")
    assert len(story.play("stand").round.dealer) == 3


@every_table
def test_39_a_drawn_21_stands_by_itself(table: TableRules) -> None:
    story = tell("P T,5 / 9,8 | U T | H 7 | 6,2", "hit", at=table)
    assert story.hand("1a").state == "stood"
    assert story.words == ["hand_hit", "hand_stood"]
    late = Act("ann", "1a", "hit", OPENED + 2)
    assert story.refused(late).reason == "hand_finished"
    assert story.round.active_hand == story.hand("2a")


def greedy(story: Story) -> Story:
    """Split, then hit whatever may be hit, to the end."""
    while story.round.status == "playing":
        wanted = [entry.action for entry in story.legal]
        story.play("split" if "split" in wanted else "hit")
    return story


def test_42_five_seats_that_all_split_and_draw_finish_at_the_end_of_the_shoe() -> None:
    last_start = (SHARED.cut_card or 0) - 1
    twos_first = sorted(deck_order(8), key=lambda card: "2A3456789TJQK".index(card[0]))
    shoe = Rigged(tuple(twos_first[: SHARED.cards - last_start]), last_start)
    story = Story(deal_of(SHARED, [10] * 5, first_place=last_start), shoe)
    greedy(story)
    assert story.round.status == "awaiting_settlement"
    assert len(story.round.hands) == 10
    assert 75 < story.round.next_place - last_start <= SHARED.cards - last_start


def test_43_the_cut_card_in_mid_round_ends_the_shoe_only_after_the_round() -> None:
    cut = SHARED.cut_card or 0
    deal = deal_of(SHARED, [10] * 5, first_place=cut - 4)
    story = Story(deal, Rigged(deck_order(8)[cut - 4 :], cut - 4))
    assert story.round.next_place > cut
    greedy(story)
    seen = [card for hand in story.round.hands for card in hand.cards]
    seen += story.round.dealer
    played = deck_order(8)[cut - 4 : story.round.next_place]
    assert Counter(seen) == Counter(played)
    assert SHARED.shoe_is_finished(story.round.next_place)


@pytest.mark.parametrize(("dealt", "finished"), [(138, False), (139, True)])
def test_43_the_139th_card_is_where_the_shoe_ends(
    dealt: int, *, finished: bool
) -> None:
    assert SHARED.shoe_is_finished(dealt) is finished
    assert [t.shoe_is_finished(1) for t in (PROGRESSIVE, CLASSIC, AMERICAN)] == [
        True,
        True,
        True,
    ]


def test_56_and_59_the_last_moment_belongs_to_one_of_the_two() -> None:
    story = tell("P T,6 | U T | H 7 | 2")
    end = story.round.opened.expires_at
    assert end == OPENED + 90 * 24 * 60 * 60 * 1_000_000
    hit, expire = story.command("hit"), story.command("expire")
    assert story.refused(expire._replace(at=end - 1)).code == "round_not_expired"
    for late in (end, end + 1, end + 10**12):
        assert story.refused(hit._replace(at=late)).code == "round_expired"
    assert story.do(hit._replace(at=end - 1))
    assert story.do(expire._replace(at=end))


@pytest.mark.parametrize("move", ["hit", "pass", "settle", "expire"])
def test_58_nothing_brings_a_voided_round_back(move: str) -> None:
    hand = tell("P T,6 | U T | H 7").command("hit")
    story = tell("P T,6 | U A | H 7", "expire")
    asked = tell("P T,6 | U A | H 7").command("pass")
    command = {"hit": hand, "pass": asked}.get(move) or story.command(move)
    assert story.refused(command).code == "round_void"


def bets_of(table: TableRules, *boxes: BoxWager, raises: bool = False) -> Deal:
    """Return a deal of boxes, in minor units."""
    deal = deal_of(table, [10])
    return deal._replace(boxes=boxes, raise_to_minimum=raises)


def refusal_of(deal: Deal) -> Refused:
    """Return how a deal is refused."""
    with pytest.raises(Refused) as caught:
        decide(None, deal, Rigged(deck_order(1)))
    return caught.value


@every_table
@pytest.mark.parametrize("raises", [False, True])
@pytest.mark.parametrize("wager", [-600, -1, 0])
def test_62_a_wager_of_nothing_or_less_is_never_taken(
    table: TableRules, wager: int, *, raises: bool
) -> None:
    refusal = refusal_of(bets_of(table, BoxWager(1, "ann", wager), raises=raises))
    assert refusal.code == "wager_below_minimum"


@every_table
@pytest.mark.parametrize(
    ("wager", "code"),
    [
        (1, "wager_below_minimum"),
        (99, "wager_below_minimum"),
        (1050, "wager_off_step"),
        (2**63, "wager_above_maximum"),
    ],
)
def test_62_a_wager_outside_the_limits_is_refused(
    table: TableRules, wager: int, code: str
) -> None:
    refusal = refusal_of(bets_of(table, BoxWager(1, "ann", wager)))
    (problem,) = refusal.problems
    assert (refusal.code, problem.pointer) == (code, "/boxes/0/wager")


@every_table
@pytest.mark.parametrize("box", [-1, 0, 6, 99])
def test_62_a_box_that_the_table_does_not_have_is_refused(
    table: TableRules, box: int
) -> None:
    refusal = refusal_of(bets_of(table, BoxWager(box, "ann", 1000)))
    assert refusal.code == "box_not_offered"
    assert refusal.problems[0].accepted == table.boxes


@pytest.mark.parametrize("table", [PROGRESSIVE, CLASSIC, AMERICAN])
def test_62_and_63_the_same_box_twice_is_refused(table: TableRules) -> None:
    boxes = [BoxWager(2, "ann", 1000), BoxWager(2, "ann", 2000)]
    refusal = refusal_of(bets_of(table, *boxes))
    assert [(p.pointer, p.code) for p in refusal.problems] == [
        ("/boxes/1/box", "box_repeated")
    ]


def test_62_every_fault_of_a_deal_is_told_at_once() -> None:
    boxes = [
        BoxWager(0, "ann", 1050),
        BoxWager(2, "ann", 20_000, 100),
        BoxWager(2, "ann", 50),
    ]
    refusal = refusal_of(bets_of(CLASSIC, *boxes))
    assert [(p.pointer, p.code) for p in refusal.problems] == [
        ("/boxes/0/box", "box_not_offered"),
        ("/boxes/2/box", "box_repeated"),
        ("/boxes/0/wager", "wager_off_step"),
        ("/boxes/1/wager", "wager_above_maximum"),
        ("/boxes/1/bonus_wager", "bonus_not_offered"),
        ("/boxes/2/wager", "wager_below_minimum"),
    ]


@pytest.mark.parametrize("bonus", [-100, 1, 50, 200, 10_000])
def test_63_a_bonus_is_exactly_one_unit_and_needs_a_wager(bonus: int) -> None:
    wrong = refusal_of(bets_of(PROGRESSIVE, BoxWager(1, "ann", 1000, bonus)))
    assert wrong.code == "bonus_wager_wrong"
    assert wrong.problems[0].accepted == 100
    bare = refusal_of(bets_of(PROGRESSIVE, BoxWager(1, "ann", 0, 100), raises=True))
    assert bare.code == "wager_below_minimum"


def test_63_at_a_shared_table_a_player_has_one_box() -> None:
    boxes = [BoxWager(1, "ann", 1000), BoxWager(2, "ann", 1000)]
    refusal = refusal_of(bets_of(SHARED, *boxes))
    assert [(p.pointer, p.code) for p in refusal.problems] == [
        ("/boxes/1/box", "box_not_offered")
    ]


def test_65_a_round_has_the_boxes_of_its_own_deal_only() -> None:
    tell("P T,9 / T,9 / T,9 | U T | H 7", "stand stand stand settle")
    story = tell("P T,9 | U T | H 7")
    assert [(box.box, box.wager) for box in story.round.boxes] == [(1, 1000)]


def test_69_a_round_of_many_stakes_is_one_round_with_their_sum() -> None:
    story = tell(
        "P 8,8 | U A | H 7 | 3,T,T", "insure split double stand settle", at=AMERICAN
    )
    assert len([e for e in story.log if isinstance(e, RoundOpened)]) == 1
    assert story.round.stake == 500 + 1000 + 1000 + 1000
    assert (story.round.payout, story.net) == (5000, 15)


def test_70_the_log_of_a_double_rebuilds_the_hand() -> None:
    story = tell("P 5,6 | U T | H 7 | 9D", "double settle")
    hand = fold(story.log).hands[0]
    assert hand.cards[-1] == "9D"
    assert (hand.total.points, hand.stake, hand.state) == (20, 2000, "stood")
