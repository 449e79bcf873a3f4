"""A second player of blackjack, written apart from the rules: it counts all rounds.

Cards are ranks, a hand is a list, a bet is 2 so that half of it is whole; every choice
is tried by recursion. It takes a table's settings and nothing else from the service.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import combinations

from service.rules.table import TableRules

BET = 2
Count = Counter[tuple[int, int]]


@dataclass
class Seat:
    """One hand on the felt; ``half`` tells a hand that came of a split."""

    box: int
    cards: str
    bet: int = BET
    half: bool = False
    over: bool = False


@dataclass
class Felt:
    """All that lies on the table, and how many moves were made."""

    seats: list[Seat]
    place: int
    moves: int = 0
    side: dict[int, int] = field(default_factory=dict)

    def after(self) -> "Felt":
        """Return a copy on which one more move is made."""
        seats = [replace(seat) for seat in self.seats]
        return Felt(seats, self.place, self.moves + 1, dict(self.side))


def count(cards: str) -> int:
    """Return the best count of some ranks."""
    low = sum(1 if c == "A" else 10 if c in "TJQK" else int(c) for c in cards)
    return low + 10 if "A" in cards and low <= 11 else low


def soft(cards: str) -> bool:
    """Tell whether an ace counts eleven."""
    low = sum(1 if c == "A" else 10 if c in "TJQK" else int(c) for c in cards)
    return count(cards) != low


class Game:
    """All rounds that can be played on one order of the shoe."""

    def __init__(self, table: TableRules, shoe: str, boxes: int) -> None:
        """Deal: one to each box, upcard, one to each box, hole card."""
        self.table, self.shoe, self.boxes = table, shoe, boxes
        self.up, self.hole = shoe[boxes], shoe[2 * boxes + 1]
        self.ends: Count = Counter()
        self.nodes: Counter[int] = Counter()
        seats = [Seat(b, shoe[b] + shoe[boxes + 1 + b]) for b in range(boxes)]
        self.start(Felt(seats, 2 * boxes + 2))

    @property
    def dealer_has_natural(self) -> bool:
        """Ace and ten, either way round."""
        return count(self.up + self.hole) == 21

    def start(self, felt: Felt) -> None:
        """Ask for insurance under an ace, then play on."""
        if self.up != "A":
            self.go_on(felt)
            return
        self.nodes[felt.moves] += 1
        everything = range(self.boxes)
        sizes = range(self.boxes + 1)
        for size in sizes if self.table.insurance == "any" else (0, self.boxes):
            for chosen in combinations(everything, size):
                asked = felt.after()
                for box in chosen:
                    asked.side[box] = BET // 2
                self.go_on(asked)

    def go_on(self, felt: Felt) -> None:
        """Let the first hand that is not over try all that it may."""
        if self.dealer_has_natural:
            self.finish(felt)
            return
        for index, seat in enumerate(felt.seats):
            if seat.over:
                continue
            moves = self.moves(felt, seat)
            if moves == ["stand"] or self.stands(seat):
                seat.over = True
                continue
            self.nodes[felt.moves] += 1
            for move in moves:
                self.make(felt.after(), index, move)
            return
        self.finish(felt)

    def natural(self, seat: Seat) -> bool:
        """Tell whether a hand is a natural at this table."""
        whole = not seat.half or self.table.split_21 == "natural"
        return whole and len(seat.cards) == 2 and count(seat.cards) == 21

    def stands(self, seat: Seat) -> bool:
        """Tell whether a hand is finished without being asked."""
        return self.natural(seat) or (
            self.table.stand_on_21 and count(seat.cards) == 21
        )

    def moves(self, felt: Felt, seat: Seat) -> list[str]:
        """Return what a hand may do."""
        table, two = self.table, len(seat.cards) == 2
        ace = seat.half and seat.cards[0] == "A"
        moves = ["stand"]
        if not ace or table.split_aces_hit:
            moves.append("hit")
        may_double = table.split_aces_double if ace else table.double_after_split
        if two and (may_double or not seat.half):
            moves.append("double")
        tens = table.split_on == "value" and not set(seat.cards) - set("TJQK")
        alike = two and (tens or len(set(seat.cards)) == 1)
        again = table.split_aces_resplit or not (ace and alike)
        family = [other for other in felt.seats if other.box == seat.box]
        if alike and again and len(family) < table.split_hands:
            moves.append("split")
        return moves

    def make(self, felt: Felt, index: int, move: str) -> None:
        """Make one move and go on."""
        seat = felt.seats[index]
        if move == "stand":
            seat.over = True
        elif move == "split":
            left, right = seat.cards[0], seat.cards[1]
            more = self.shoe[felt.place : felt.place + 2]
            felt.place += 2
            felt.seats[index : index + 1] = [
                Seat(seat.box, left + more[0], half=True),
                Seat(seat.box, right + more[1], half=True),
            ]
        else:
            seat.cards += self.shoe[felt.place]
            felt.place += 1
            if move == "double":
                seat.bet, seat.over = 2 * BET, True
            if count(seat.cards) > 21:
                seat.over = True
        self.go_on(felt)

    def finish(self, felt: Felt) -> None:
        """Play the dealer and note how long the round was and what it came to."""
        dealer, place = self.up + self.hole, felt.place
        waiting = [
            s for s in felt.seats if count(s.cards) <= 21 and not self.natural(s)
        ]
        while waiting and not self.dealer_has_natural and self.draws(dealer):
            dealer += self.shoe[place]
            place += 1
        net = sum(self.wins(seat, dealer) for seat in felt.seats)
        for stake in felt.side.values():
            net += 2 * stake if self.dealer_has_natural else -stake
        self.ends[felt.moves, net] += 1

    def draws(self, dealer: str) -> bool:
        """Tell whether the dealer takes another card."""
        if count(dealer) == 17 and soft(dealer):
            return self.table.soft_17 == "hit"
        return count(dealer) < 17

    def wins(self, seat: Seat, dealer: str) -> int:
        """Return what a hand wins or loses; naturals three for two."""
        mine, his = count(seat.cards), count(dealer)
        if mine > 21:
            return -seat.bet
        if self.dealer_has_natural:
            return 0 if self.natural(seat) else -seat.bet
        if self.natural(seat):
            return seat.bet * 3 // 2
        return seat.bet * (1 if his > 21 or mine > his else -1 if mine < his else 0)
