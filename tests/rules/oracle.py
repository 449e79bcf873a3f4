"""What a round must pay, worked out a second time and in another way.

Reads the stored events as plain dictionaries and knows nothing of the rules' code: no
evolve, no totals, no settle. Money is in fractions; nothing here is rounded either.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from service.rules.table import TableRules

Stored = Mapping[str, Any]


VALUES: Final = {"A": (1, 11), **dict.fromkeys("TJQK", (10,))}


def points(cards: Iterable[str]) -> int:
    """Return the best count: the highest that is not over 21, else the lowest."""
    sums = {0}
    for card in cards:
        values = VALUES.get(card[0]) or (int(card[0]),)
        sums = {before + value for before in sums for value in values}
    return max((count for count in sums if count <= 21), default=min(sums))


class Books:
    """The stakes and the cards of a round, read from its stored events."""

    def __init__(self, log: Iterable[Stored], table: TableRules) -> None:
        """Read all events once, in order."""
        self.table = table
        self.wager: dict[str, int] = {}
        self.stake: dict[str, int] = {}
        self.cards: dict[str, list[str]] = {}
        self.order: list[str] = []
        self.first_cards: dict[int, list[str]] = {}
        self.bonus: dict[int, int] = {}
        self.insured: dict[int, int] = {}
        self.dealer: list[str] = []
        self.told: dict[str, Any] = {}
        for event in log:
            kind = event["type"].split("/")[0]
            getattr(self, kind, self._note)(event)
            self.told.setdefault(kind, []).append(event)

    def _note(self, event: Stored) -> None:
        """Leave alone what moves neither cards nor stakes."""

    def round_opened(self, event: Stored) -> None:
        self.max_win = event["max_win"]
        for box in event["boxes"]:
            name = f"{box['box']}a"
            self.order.append(name)
            self.wager[name] = self.stake[name] = box["wager"]
            self.cards[name] = []
            if box["bonus_wager"]:
                self.bonus[box["box"]] = box["bonus_wager"]

    def card_dealt(self, event: Stored) -> None:
        self.cards[event["hand"]].append(event["card"])

    hand_hit = card_dealt

    def hand_doubled(self, event: Stored) -> None:
        self.card_dealt(event)
        self.stake[event["hand"]] += event["stake"]

    def hand_split(self, event: Stored) -> None:
        old, new = event["hand"], event["new_hand"]
        self.first_cards.setdefault(int(old[0]), list(self.cards[old]))
        left, right = self.cards[old]
        self.cards[old], self.cards[new] = (
            [left, event["cards"][0]],
            [right, event["cards"][1]],
        )
        self.order.insert(self.order.index(old) + 1, new)
        self.wager[new] = self.stake[new] = event["stake"]

    def upcard_dealt(self, event: Stored) -> None:
        self.dealer.append(event["card"])

    hole_card_revealed = dealer_drew = upcard_dealt

    def insurance_taken(self, event: Stored) -> None:
        self.insured[event["box"]] = event["stake"]

    @property
    def all_stakes(self) -> int:
        """All that the players have put in."""
        return sum([*self.stake.values(), *self.insured.values(), *self.bonus.values()])

    def natural(self, hand: str) -> bool:
        """Two cards that make 21, and no split, unless the table lets that count."""
        whole = int(hand[0]) not in self.first_cards or self.table.split_21 == "natural"
        return whole and len(self.cards[hand]) == 2 and points(self.cards[hand]) == 21

    @property
    def dealer_natural(self) -> bool:
        """The dealer's first two cards make 21."""
        return len(self.dealer) == 2 and points(self.dealer) == 21

    def result(self, hand: str) -> str:
        """Return a hand's result at the end of the play."""
        mine, dealers = points(self.cards[hand]), points(self.dealer)
        if mine > 21:
            return "bust"
        if self.natural(hand) or self.dealer_natural:
            both = (self.natural(hand), self.dealer_natural)
            return {(1, 1): "push", (1, 0): "natural", (0, 1): "lose"}[both]
        if dealers > 21:
            return "win"
        return ("lose", "push", "win")[(mine >= dealers) + (mine > dealers)]

    def computed(self, hand: str, result: str) -> Fraction:
        """Return what a result pays before any cap."""
        odds = self.table.natural_pays
        profit = {
            "natural": Fraction(odds.numerator, odds.denominator),
            "win": Fraction(1),
            **dict.fromkeys(("push", "void"), Fraction(0)),
        }.get(result, Fraction(-1))
        return self.stake[hand] * (1 + profit)

    def capped(self, results: Mapping[str, str]) -> dict[str, Fraction]:
        """Return what each hand is paid, by the table's max win."""
        payouts = {hand: self.computed(hand, results[hand]) for hand in self.order}
        if self.table.max_win is None:
            return payouts
        left = Fraction(self.max_win)
        for hand in self.order:
            doubled = self.stake[hand] // self.wager[hand]
            cap = {
                "hand": Fraction(self.max_win),
                "stake": Fraction(self.max_win * doubled),
                "round": left,
            }[self.table.max_win.basis]
            payouts[hand] = min(payouts[hand], cap)
            left -= payouts[hand]
        return payouts

    def aces(self, box: int) -> str:
        """Return the suits of a box's run of aces."""
        cards = self.first_cards.get(box) or self.cards[f"{box}a"]
        ranks = "".join(card[0] for card in cards[:4])
        run = len(ranks) - len(ranks.lstrip("A"))
        return "".join(card[1] for card in cards[:run])

    def bonus_pays(self, box: int) -> int:
        """Return what a box's bonus pays, the dearest of the lines on its way."""
        run, pays = self.aces(box), dict(self.table.bonus_pays or {})
        lines = ["none"]
        for size, count in ((2, "two"), (3, "three"), (4, "four")):
            if len(run) >= size:
                kind = "suited" if len(set(run[:size])) == 1 else "unsuited"
                lines.append(f"{count}_{kind}_aces")
        if len(run) == 4 and set(run) in (
            {"S"},
            {"C"},
            {"H"},
            {"D"},
            set("SC"),
            set("HD"),
        ):
            lines[-1] = "four_aces_of_one_colour"
        return self.bonus[box] * max(pays.get(line, 0) for line in lines)

    def insurance_pays(self) -> int:
        """Return what all insurances pay after the peek."""
        odds = self.table.insurance_pays
        won = 1 + Fraction(odds.numerator, odds.denominator)
        stakes = sum(self.insured.values())
        payout = stakes * (won if self.dealer_natural else 0)
        assert payout == int(payout)
        return int(payout)
