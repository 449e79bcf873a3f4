"""The oracle: every order of a small shoe, dealt through the real rules.

A round is played on the cards known so far; where it asks for one more, each card that
is left is tried, with its chance. Nothing of the analysis is used but who plays.
"""

from collections.abc import Mapping
from fractions import Fraction

from service.analysis.players import Player
from service.rules.cards import Card
from service.rules.commands import Act, BoxWager, Command, Deal, Insure
from service.rules.decide import decide_and_fold
from service.rules.round import Round
from service.rules.table import TableRules

WAGER = 200


class Prefix(tuple[Card, ...]):
    """A shoe of which only the first cards are known."""

    __slots__ = ()

    def card_at(self, place: int) -> Card:
        """Return a card; IndexError where it is not known yet."""
        return self[place]


def counted(table: TableRules, shoe: Mapping[str, int], player: Player) -> Fraction:
    """Return what a wager wins on average over all orders of a shoe, exactly.

    ``shoe`` says how many cards of each rank it holds.
    """
    total = ended = Fraction(0)
    todo: list[tuple[Round | None, Prefix, Fraction]] = [(None, Prefix(), Fraction(1))]
    while todo:
        round_, known, chance = todo.pop()
        try:
            while round_ is None or round_.status != "awaiting_settlement":
                command = _next_command(table, round_, player)
                _, round_ = decide_and_fold(round_, command, known)
        except IndexError:
            cards = sum(shoe.values()) - len(known)
            ranks = [card[0] for card in known]
            for rank, held in shoe.items():
                if left := held - ranks.count(rank):
                    longer = Prefix((*known, Card(f"{rank}S")))
                    todo.append((round_, longer, chance * Fraction(left, cards)))
            continue
        ended += chance
        total += chance * Fraction(round_.due - round_.stake, WAGER)
    assert ended == 1, "the shoe has cards for every round"
    return total


def _next_command(table: TableRules, round_: Round | None, player: Player) -> Command:
    if round_ is None:
        return Deal(
            table=table,
            currency=next(iter(table.limits)),
            boxes=(BoxWager(1, "p", WAGER),),
            raise_to_minimum=False,
            at=0,
            shoe_id="",
            first_place=0,
            shuffler="counted",
            commitment="",
        )
    hand = round_.active_hand
    if hand is None:
        return Insure("p", (), 0)
    return Act("p", hand.name, player(round_, hand), 0)
