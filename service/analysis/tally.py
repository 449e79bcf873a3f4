"""What came of simulated rounds: sums that add up, whatever order they come in."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, NamedTuple, Self

from service.rules.round import Round


class Mean(NamedTuple):
    """A mean in wagers, and its standard error."""

    value: float
    error: float


@dataclass
class Tally:
    """Sums over rounds; money is what a player won, in minor units.

    ``wager`` is that of every box. The boxes of a round share the dealer's hand, so the
    error of the mean is taken from whole rounds.
    """

    wager: int
    boxes: int
    rounds: int = 0
    won: int = 0
    squares: int = 0
    by_box: list[int] = field(default_factory=list)
    squares_by_box: list[int] = field(default_factory=list)
    nets: Counter[int] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    lines: Counter[str] = field(default_factory=Counter)
    hands: int = 0
    withheld: int = 0
    cards: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        """Begin with nothing won in each box."""
        self.by_box = self.by_box or [0] * self.boxes
        self.squares_by_box = self.squares_by_box or [0] * self.boxes

    def add(self, round_: Round) -> None:
        """Count a decided round. Bonuses are counted apart, not with the winnings."""
        nets = dict.fromkeys((box.box for box in round_.boxes), 0)
        for hand in round_.hands:
            nets[hand.box] += hand.payout - hand.withheld - hand.stake
            self.results[str(hand.result)] += 1
            self.withheld += hand.withheld
        for place, net in enumerate(nets.values()):
            self.by_box[place] += net
            self.squares_by_box[place] += net * net
            self.nets[net] += 1
        won = sum(nets.values())
        self.rounds += 1
        self.won += won
        self.squares += won * won
        self.hands += len(round_.hands)
        self.cards += round_.next_place - round_.opened.first_place
        for box in round_.boxes:
            if box.bonus is not None:
                self.lines[str(box.bonus.line)] += 1

    def plus(self, other: Self) -> None:
        """Add what came of other rounds at the same wager and boxes."""
        assert (self.wager, self.boxes) == (other.wager, other.boxes), "same bets"
        for name in ("rounds", "won", "squares", "hands", "withheld", "cards"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.seconds += other.seconds
        for mine, his in (
            (self.by_box, other.by_box),
            (self.squares_by_box, other.squares_by_box),
        ):
            mine[:] = [one + two for one, two in zip(mine, his, strict=True)]
        self.nets.update(other.nets)
        self.results.update(other.results)
        self.lines.update(other.lines)

    @property
    def mean(self) -> Mean:
        """What an initial wager wins on average, over all boxes."""
        return _mean(self.won, self.squares, self.rounds, self.wager * self.boxes)

    def mean_of_box(self, place: int) -> Mean:
        """What the wager of one box wins on average, the first at 0."""
        won, squares = self.by_box[place], self.squares_by_box[place]
        return _mean(won, squares, self.rounds, self.wager)

    @property
    def deviation(self) -> float:
        """The standard deviation of one box's result in one round, in wagers."""
        count = self.rounds * self.boxes
        squares = sum(self.squares_by_box)
        return sqrt(max(squares - self.won**2 / count, 0) / count) / self.wager

    @property
    def distribution(self) -> Mapping[float, float]:
        """The part of boxes by what they won, in wagers, lowest first."""
        count = self.rounds * self.boxes
        nets = sorted(self.nets.items())
        return {net / self.wager: found / count for net, found in nets}

    def as_json(self) -> dict[str, Any]:
        """Return the sums for a file, to go on with later."""
        found = dict(vars(self))
        found["nets"] = [list(pair) for pair in sorted(self.nets.items())]
        return found | {"results": dict(self.results), "lines": dict(self.lines)}

    @classmethod
    def from_json(cls, read: dict[str, Any]) -> Self:
        """Return the sums that `as_json` gave."""
        counters = {name: Counter(read[name]) for name in ("results", "lines")}
        return cls(**{**read, **counters, "nets": Counter(dict(read["nets"]))})


def _mean(won: int, squares: int, count: int, wager: int) -> Mean:
    if count < 2:  # noqa: PLR2004 - one result has no spread
        return Mean(won / wager if count else 0.0, float("inf"))
    spread = max(squares - won * won / count, 0) / (count - 1)
    return Mean(won / count / wager, sqrt(spread / count) / wager)
