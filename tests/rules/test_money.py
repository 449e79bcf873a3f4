"""No unit is made or lost: what is paid is what the oracle works out by itself."""

from fractions import Fraction
from typing import Any

from hypothesis import given

from service.rules.commands import Act, Expire
from service.rules.legal import legal_actions
from service.rules.stored import encode
from service.rules.table import TableRules
from tests.rules.oracle import Books
from tests.rules.rig import Story
from tests.rules.worlds import ALL_TABLES, World, played, steps, worlds


def books_of(story: Story) -> Books:
    return Books([encode(e) for e in story.log], story.round.opened.table)


def by(key: str, events: list[dict[str, Any]], value: str) -> dict[Any, Any]:
    return {event[key]: event[value] for event in events}


@given(worlds())
def test_every_payout_is_what_the_oracle_says(world: World) -> None:
    story = played(world)
    books = books_of(story)
    told = books.told
    results = {hand: books.result(hand) for hand in books.order}
    assert by("hand", told["hand_resolved"], "result") == results
    computed = {hand: books.computed(hand, results[hand]) for hand in books.order}
    assert by("hand", told["hand_resolved"], "payout") == computed
    capped = books.capped(results)
    withheld = {
        h: computed[h] - capped[h] for h in books.order if computed[h] > capped[h]
    }
    assert by("hand", told.get("win_capped", []), "withheld") == withheld
    bonuses = {box: books.bonus_pays(box) for box in books.bonus}
    assert by("box", told.get("bonus_resolved", []), "payout") == bonuses
    insured = by("box", told.get("insurance_resolved", []), "payout")
    assert insured.keys() == books.insured.keys()
    assert sum(insured.values()) == books.insurance_pays()
    (settled,) = told["round_settled"]
    due = sum(capped.values()) + sum(bonuses.values())
    assert settled["payout"] == due
    assert story.round.payout == due + sum(insured.values())
    assert story.round.stake == books.all_stakes


@given(worlds())
def test_every_amount_is_a_whole_number(world: World) -> None:
    for story in steps(world):
        assert numbers([encode(event) for event in story.log]) <= {int, bool}
        costs = [(e.cost, e.max_payout or 0) for e in legal_actions(story.round)]
        assert numbers(costs) <= {int}


def numbers(value: Any) -> set[type]:  # noqa: ANN401 - whatever JSON can hold
    """Return the types of all numbers in a value, as deep as they stand."""
    if isinstance(value, dict):
        return numbers(list(value.values()))
    if isinstance(value, list | tuple):
        return {kind for inner in value for kind in numbers(inner)}
    return (
        {type(value)} if isinstance(value, float | complex | Fraction | int) else set()
    )


@given(worlds())
def test_nothing_is_paid_before_the_end_but_won_insurance(world: World) -> None:
    for story in steps(world):
        if story.round.status in ("insurance", "playing"):
            assert story.round.payout == 0
        assert story.round.stake == books_of(story).all_stakes


@given(worlds())
def test_payouts_stay_within_the_cap(world: World) -> None:
    round_ = played(world).round
    table = round_.opened.table
    paid = {hand.name: hand.payout - hand.withheld for hand in round_.hands}
    limits = table.limits["USD"]
    assert round_.opened.max_win == table.cap(limits.maximum)
    if table.max_win is None or round_.opened.max_win is None:
        assert not any(hand.withheld for hand in round_.hands)
        return
    if table.max_win.basis == "round":
        assert sum(paid.values()) <= round_.opened.max_win
    for hand in round_.hands:
        doubled = hand.stake // hand.wager
        cap = round_.opened.max_win * (doubled if table.max_win.basis == "stake" else 1)
        assert paid[hand.name] <= cap
        # A win never pays less than its stake.
        if hand.result in ("natural", "win", "push"):
            assert paid[hand.name] >= hand.stake


@given(worlds(tables=[table for table in ALL_TABLES if table.max_win]))
def test_what_an_action_is_told_is_the_most_that_is_paid(world: World) -> None:
    """Until more money is put on the hand or, with a cap by round, on any hand."""
    told: dict[str, int | None] = {}
    listed: dict[tuple[str | None, str | None], int | None] = {}
    table = world.deal.table
    by_round = table.max_win is not None and table.max_win.basis == "round"
    story = world.story()
    for story in steps(world):
        act = story.commands[-1]
        if isinstance(act, Act):
            if by_round and act.action in ("double", "split"):
                told.clear()
            told[act.hand] = listed[act.hand, act.action]
            if act.action == "split":
                del told[act.hand]
        listed = {(e.hand, e.action): e.max_payout for e in legal_actions(story.round)}
    hands = story.round.hands
    for name, most in told.items():
        counted = [h for h in hands if by_round or h.name == name]
        if most is None:
            assert not any(hand.withheld for hand in counted)
        else:
            assert sum(hand.payout - hand.withheld for hand in counted) <= most


@given(worlds())
def test_a_round_may_expire_at_any_point_and_no_unit_is_lost(world: World) -> None:
    for story in steps(world):
        if story.round.status not in ("insurance", "playing"):
            continue
        late = Story(world.deal, world.shoe)
        for command in story.commands[1:]:
            late.do(command)
        late.do(Expire(story.round.opened.expires_at))
        table = world.deal.table
        if table.on_expiry == "auto_stand":
            assert late.round.status == "awaiting_settlement"
            assert late.round.stake == story.round.stake
            check_auto_stand(late)
        else:
            check_ended(late, table)


def check_auto_stand(late: Story) -> None:
    books = books_of(late)
    results = {hand: books.result(hand) for hand in books.order}
    bonuses = sum(books.bonus_pays(box) for box in books.bonus)
    assert late.round.due == sum(books.capped(results).values()) + bonuses
    assert late.round.payout == late.round.due + books.insurance_pays()


def check_ended(late: Story, table: TableRules) -> None:
    """What is decided keeps its result; all else goes back, or is kept."""
    books = books_of(late)
    assert late.round.status == "void"
    undecided = "void" if table.on_expiry == "void" else "forfeit"
    peeked = "dealer_peeked" in books.told
    excluded = peeked or books.dealer[0][0] != "A"
    busted = {event["hand"] for event in books.told.get("hand_busted", [])}
    results = {
        hand: "bust"
        if hand in busted
        else "natural"
        if books.natural(hand) and excluded
        else undecided
        for hand in books.order
    }
    assert by("hand", books.told["hand_resolved"], "result") == results
    counted = {box for box in books.bonus if bonus_is_over(books, box)}
    due: Fraction | int = sum(books.capped(results).values())
    due += sum(books.bonus_pays(box) for box in counted)
    back = sum(wager for box, wager in books.bonus.items() if box not in counted)
    back += 0 if peeked else sum(books.insured.values())
    back = back if undecided == "void" else 0
    (voided,) = books.told["round_voided"]
    assert voided["payout"] == due
    assert sum(refund["amount"] for refund in voided["refunds"]) == back
    assert late.round.payout == due + back
    assert late.round.stake == books.all_stakes


def bonus_is_over(books: Books, box: int) -> bool:
    """Tell whether no card can change a box's bonus any more."""
    name = f"{box}a"
    kinds = ("hand_stood", "hand_busted", "hand_doubled")
    ended = {event["hand"] for kind in kinds for event in books.told.get(kind, [])}
    run = len(books.aces(box))
    return (
        box in books.first_cards
        or name in ended
        or run in {4, *range(len(books.cards[name]))}
    )
