"""From a round and a command to the events that follow, or a refusal.

The only place that looks into a shoe, and only for the cards that fall.
"""

from typing import NoReturn, assert_never

from service.rules import events
from service.rules.betting import limits_of, open_boxes
from service.rules.cards import BLACKJACK, Card, Shoe, is_ace, is_ten, total_of
from service.rules.commands import (
    Act,
    Command,
    Deal,
    Expire,
    Insure,
    Malfunction,
    Refused,
    Settle,
    refuse_if_over,
)
from service.rules.events import DecidedBy, Event
from service.rules.expire import end_expired
from service.rules.fold import evolve
from service.rules.legal import (
    WHY,
    Action,
    box_of,
    insurance_cost,
    legal_actions,
    stands_by_itself,
    unanswered,
    why_not,
)
from service.rules.round import Hand, Round, hand_named, is_natural
from service.rules.settle import (
    dealer_draws,
    hits_jackpot,
    insurance_payout,
    resolve_bonus,
    resolve_hands,
    result_of,
)

DAY = 86_400_000_000


def decide(round_: Round | None, command: Command, shoe: Shoe) -> list[Event]:
    """Return the events that a command makes of a round (None before its deal).

    Raises Refused, and then nothing has happened.
    """
    return decide_and_fold(round_, command, shoe)[0]


def decide_and_fold(
    round_: Round | None, command: Command, shoe: Shoe
) -> tuple[list[Event], Round]:
    """Return what ``decide`` does, and the round that its events make."""
    if isinstance(command, Deal):
        assert round_ is None, "a round is dealt once"
        draft = _deal(command, shoe)
        return draft.events, draft.round
    assert round_ is not None, "every command but a deal needs its round"
    refuse_if_over(round_, command)
    draft = _Draft(round_, shoe)
    match command:
        case Insure():
            _insure(draft, command)
        case Act():
            _act(draft, command)
        case Settle(at):
            draft.add(events.RoundSettled(at, round_.due))
        case Expire(at):
            _expire(draft, at)
        case Malfunction(at, reason):
            over = round_.closed_at is not None
            paid = round_.payout if over else round_.insured
            draft.add(events.RoundMalfunctioned(at, reason, round_.stake - paid))
        case _:
            assert_never(command)
    return draft.events, draft.round


class _Draft:
    """The events so far, and the round that they make."""

    def __init__(self, round_: Round, shoe: Shoe) -> None:
        self.round = round_
        self.shoe = shoe
        self.events: list[Event] = []

    def add(self, event: Event) -> None:
        self.events.append(event)
        self.round = evolve(self.round, event)

    def next_card(self, ahead: int = 0) -> Card:
        return self.shoe.card_at(self.round.next_place + ahead)


def _deal(deal: Deal, shoe: Shoe) -> _Draft:
    table = deal.table
    limits = limits_of(deal)
    boxes = open_boxes(deal, limits)
    opened = events.RoundOpened(
        table=table,
        currency=deal.currency,
        opened_at=deal.at,
        expires_at=deal.at + table.void_after_days * DAY,
        shoe_id=deal.shoe_id,
        first_place=deal.first_place,
        shuffler=deal.shuffler,
        commitment=deal.commitment,
        minimum=limits.minimum,
        maximum=limits.maximum,
        max_win=table.cap(limits.maximum),
        boxes=boxes,
    )
    draft = _Draft(evolve(None, opened), shoe)
    draft.events.append(opened)
    for hand in draft.round.hands:
        draft.add(events.CardDealt(hand.name, draft.next_card()))
    upcard = draft.next_card()
    draft.add(events.UpcardDealt(upcard))
    for hand in draft.round.hands:
        draft.add(events.CardDealt(hand.name, draft.next_card()))
    draft.add(events.HoleCardDealt())
    if is_ten(upcard):
        _peek(draft, deal.at)
    elif not is_ace(upcard):
        _advance(draft, deal.at)
    return draft


def _insure(draft: _Draft, command: Insure) -> None:
    round_, player = draft.round, command.player
    asked = unanswered(round_, player)
    chosen = set(command.boxes)
    if not is_ace(round_.dealer[0]):
        raise Refused("insurance_not_open", "Insurance is not offered now.")
    if not asked:
        raise Refused("insurance_answered", "Your boxes have all answered.")
    mine = {box.box for box in asked}
    if chosen - mine:
        detail = f"You can insure your boxes {sorted(mine)}, and each only once."
        raise Refused("box_not_yours", detail)
    legal = {
        action.boxes
        for action in legal_actions(round_, player)
        if action.boxes is not None
    }
    if tuple(sorted(chosen)) not in legal:
        detail = f"This table insures all of your boxes {sorted(mine)} or none."
        raise Refused("insurance_all_or_none", detail)
    for box in asked:
        if box.box in chosen:
            draft.add(events.InsuranceTaken(box.box, insurance_cost(box)))
        else:
            draft.add(events.InsuranceDeclined(box.box))
    if not unanswered(draft.round):
        _peek(draft, command.at)


def _peek(draft: _Draft, at: int) -> None:
    """Look at the hole card and end the round on a natural (decision 5)."""
    hole_place = draft.round.hole_place
    assert hole_place is not None, "the dealer peeks at a dealt card"
    upcard, hole_card = draft.round.dealer[0], draft.shoe.card_at(hole_place)
    natural = total_of((upcard, hole_card)).points == BLACKJACK
    draft.add(events.DealerPeeked(natural))
    if natural:
        draft.add(events.HoleCardRevealed(hole_card))
    for box in draft.round.boxes:
        if box.insurance:
            draft.add(
                events.InsuranceResolved(box.box, insurance_payout(draft.round, box))
            )
    _advance(draft, at)


def _act(draft: _Draft, command: Act) -> None:
    round_ = draft.round
    hand = hand_named(round_, command.hand)
    if hand is None:
        names = ", ".join(other.name for other in round_.hands)
        _not_legal("hand_unknown", f"No hand {command.hand}; this round has {names}.")
    if round_.status == "insurance":
        raise Refused("insurance_open", "Answer the insurance first.")
    active = round_.active_hand
    assert active is not None, "a round in play has an active hand"
    if box_of(round_, hand).player != command.player:
        _not_legal("not_your_hand", f"Hand {hand.name} is another player's.")
    if hand.name != active.name:
        over = hand.state != "open"
        detail = f"Hand {hand.name} {'is finished' if over else 'waits'}; hand "
        detail += f"{active.name} is playing."
        _not_legal("hand_finished" if over else "hand_not_active", detail)
    reason = why_not(round_, hand, command.action)
    if reason is not None:
        _not_legal(reason, f"Hand {hand.name} may not {command.action}: {WHY[reason]}.")
    _play(draft, hand, command.action, command.decided_by)
    box = box_of(draft.round, hand)
    if command.jackpot and hits_jackpot(draft.round, box):
        draft.add(events.JackpotReserved(box.box, *command.jackpot))
    _advance(draft, command.at)


def _not_legal(reason: str, detail: str) -> NoReturn:
    raise Refused("action_not_legal", detail, reason)


def _play(draft: _Draft, hand: Hand, action: Action, by: DecidedBy) -> None:
    match action:
        case "hit":
            draft.add(events.HandHit(hand.name, draft.next_card(), by))
        case "stand":
            draft.add(events.HandStood(hand.name, by))
        case "double":
            draft.add(events.HandDoubled(hand.name, hand.wager, draft.next_card(), by))
        case "split":
            cards = (draft.next_card(), draft.next_card(1))
            name = _free_name(draft.round, hand.box)
            draft.add(events.HandSplit(hand.name, name, hand.wager, cards, by))
        case _:
            assert_never(action)
    played = hand_named(draft.round, hand.name)
    if played is not None and played.total.points > BLACKJACK:
        draft.add(events.HandBusted(hand.name))


def _free_name(round_: Round, box: int) -> str:
    """Return the box's next free letter (decision 14)."""
    count = sum(hand.box == box for hand in round_.hands)
    return f"{box}{'abcd'[count]}"


def _advance(draft: _Draft, at: int) -> None:
    """Stand every hand that has nothing to decide; end the play when none is left."""
    if not draft.round.natural:
        while (hand := draft.round.active_hand) is not None:
            if not stands_by_itself(draft.round, hand):
                return
            draft.add(events.HandStood(hand.name, "rules"))
    _play_dealer(draft)
    round_ = draft.round
    for event in resolve_hands(
        round_, ((hand, result_of(round_, hand)) for hand in round_.hands)
    ):
        draft.add(event)
    for box in round_.boxes:
        if box.bonus_wager:
            draft.add(resolve_bonus(round_, box))
    draft.add(events.RoundDecided(at))


def _play_dealer(draft: _Draft) -> None:
    """Turn the hole card up and draw if a hand still waits (decisions 4 and 6)."""
    round_, table = draft.round, draft.round.opened.table
    if round_.natural:
        return
    assert round_.hole_place is not None, "the dealer plays a dealt hand"
    draft.add(events.HoleCardRevealed(draft.shoe.card_at(round_.hole_place)))
    waiting = any(
        hand.state == "stood" and not is_natural(round_, hand) for hand in round_.hands
    )
    while waiting and dealer_draws(table, total_of(draft.round.dealer)):
        draft.add(events.DealerDrew(draft.next_card()))


def _expire(draft: _Draft, at: int) -> None:
    """End a round by its table's ``on_expiry`` (decision 22)."""
    if draft.round.opened.table.on_expiry != "auto_stand":
        for event in end_expired(draft.round, at):
            draft.add(event)
        return
    waiting = unanswered(draft.round) if draft.round.status == "insurance" else ()
    for box in waiting:
        draft.add(events.InsuranceDeclined(box.box))
    if waiting:
        _peek(draft, at)
    while (hand := draft.round.active_hand) is not None:
        draft.add(events.HandStood(hand.name, "table"))
        _advance(draft, at)
