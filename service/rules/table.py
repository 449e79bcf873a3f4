"""A table's rules are data: the settings, what they may be, and what contradicts.

Every setting here answers one point that the four rule documents decide or leave
open; ARCHITECTURE.md says how to add one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from service.rules.cards import BLACKJACK, PAIR, TEN

DECK = 52
RANKS_OF_TEN = 4
SUITS = 4
MOST_MONEY = 2**53 - 1
BONUS_LINES = (
    "two_unsuited_aces",
    "two_suited_aces",
    "three_unsuited_aces",
    "three_suited_aces",
    "four_unsuited_aces",
    "four_aces_of_one_colour",
)
JACKPOT_LINE = "four_aces_of_one_colour"


class Ratio(NamedTuple):
    """An exact ratio such as 3:2; money times a ratio is always a whole number."""

    numerator: int
    denominator: int

    def of(self, amount: int) -> int:
        """Return the ratio of an amount in minor units.

        >>> Ratio(3, 2).of(500)
        750
        """
        whole, rest = divmod(amount * self.numerator, self.denominator)
        assert rest == 0, "a table whose step is not exact is refused when loaded"
        return whole

    def is_exact_for(self, amount: int) -> bool:
        """Tell whether the ratio of that amount is a whole number."""
        return amount * self.numerator % self.denominator == 0


class Limits(NamedTuple):
    """The wagers of one currency, in its minor units; they bind the first wager."""

    minimum: int
    maximum: int
    step: int
    chips: tuple[int, ...]
    bonus_wager: int | None


class MaxWin(NamedTuple):
    """A cap on wins, stake included, as a multiple of the maximum wager in force."""

    multiple: Ratio
    basis: Literal["hand", "stake", "round"]


@dataclass(frozen=True, slots=True)
class TableRules:
    """One immutable version of a table; ``version`` is the digest of its settings."""

    version: str
    table_id: str
    number: str
    title: str
    seating: Literal["private", "shared"]
    decks: int
    boxes: int
    reshuffle: Literal["every_round", "cut_card"]
    cut_card: int | None
    soft_17: Literal["stand", "hit"]
    split_on: Literal["value", "rank"]
    split_hands: int
    split_aces_hit: bool
    split_aces_double: bool
    split_aces_resplit: bool
    split_21: Literal["plain", "natural"]
    double_after_split: bool
    stand_on_21: bool
    insurance: Literal["any", "all_or_none"]
    natural_pays: Ratio
    insurance_pays: Ratio
    under_minimum: Literal["raise", "refuse"]
    void_after_days: int
    on_expiry: Literal["void", "auto_stand", "forfeit"]
    limits: Mapping[str, Limits]
    max_win: MaxWin | None
    bonus_pays: Mapping[str, int] | None

    @property
    def cards(self) -> int:
        """The number of cards in a full shoe."""
        return self.decks * DECK

    def shoe_is_finished(self, cards_dealt: int) -> bool:
        """Tell, after a round, whether the shoe is shuffled before the next one.

        Document 001, rule 2 of its summary: after about a third of the shoe.
        """
        return self.cut_card is None or cards_dealt >= self.cut_card

    def cap(self, maximum: int) -> int | None:
        """Return the max win for a maximum wager in force, in minor units."""
        return None if self.max_win is None else self.max_win.multiple.of(maximum)


def longest_round(decks: int, hands: int, highest_draw: int) -> int:
    """Return a number of cards that a round of so many hands never exceeds.

    No hand draws above ``highest_draw``, so the cards before each hand's last one add
    up to at most that, with aces as one; the smallest cards make the longest round.
    More than the shoe holds means that a round might run out of cards.

    >>> longest_round(6, 16, 20), longest_round(8, 11, 20), longest_round(1, 21, 20)
    (128, 114, 73)
    """
    points = hands * highest_draw
    drawn = 0
    for worth in range(1, TEN + 1):
        ranks = RANKS_OF_TEN if worth == TEN else 1
        count = min(points // worth, decks * SUITS * ranks)
        drawn += count
        points -= count * worth
    return drawn + hands


def contradictions(table: TableRules) -> Iterator[str]:
    """Yield what is wrong between settings that are each fine by themselves."""
    hands = table.boxes * table.split_hands
    highest_draw = BLACKJACK - 1 if table.stand_on_21 else BLACKJACK
    longest = longest_round(table.decks, hands + 1, highest_draw)
    if (table.reshuffle == "cut_card") != (table.cut_card is not None):
        yield "cut_card: goes with reshuffle = 'cut_card', and only with it"
    if table.reshuffle == "cut_card" and table.seating == "private":
        yield "reshuffle: a running shoe needs seating = 'shared'"
    if longest > table.cards:
        yield f"decks: a round may need {longest} of the {table.cards} cards"
    elif (table.cut_card or 1) - 1 + longest > table.cards:
        yield (
            f"cut_card: a round may need {longest} of the {table.cards} cards; "
            f"the last place for it is {table.cards - longest + 1}"
        )
    if table.split_aces_resplit and table.split_hands <= PAIR:
        yield "split_aces_resplit: needs split_hands above 2"
    if table.split_aces_double and not table.double_after_split:
        yield "split_aces_double: needs double_after_split"
    for currency, limits in table.limits.items():
        yield from _limit_faults(table, f"limits.{currency}", limits)
        yield from _bonus_faults(table, f"limits.{currency}", limits)
    yield from _max_win_faults(table, hands)


def _limit_faults(table: TableRules, key: str, limits: Limits) -> Iterator[str]:
    step = limits.step
    if limits.minimum > limits.maximum:
        yield f"{key}.minimum: {limits.minimum} is above the maximum {limits.maximum}"
    amounts = {"minimum": limits.minimum, "maximum": limits.maximum}
    for name, amount in amounts.items():
        if amount % step:
            yield f"{key}.{name}: {amount} is not a multiple of the step {step}"
    if list(limits.chips) != sorted(set(limits.chips)):
        yield f"{key}.chips: must rise"
    if any(chip % step for chip in limits.chips):
        yield f"{key}.chips: each must be a multiple of the step {step}"
    if step % 2 or not table.insurance_pays.is_exact_for(step // 2):
        yield f"{key}.step: half of {step} at insurance_pays must be a whole number"
    if not table.natural_pays.is_exact_for(step):
        yield f"{key}.step: {step} at natural_pays must be a whole number"
    if table.max_win and not table.max_win.multiple.is_exact_for(limits.maximum):
        yield f"{key}.maximum: times max_win.multiple must be a whole number"


def _bonus_faults(table: TableRules, key: str, limits: Limits) -> Iterator[str]:
    wager = limits.bonus_wager
    if (wager is None) != (table.bonus_pays is None):
        yield f"{key}.bonus_wager: goes with a [bonus] section, and only with it"
    elif wager and table.bonus_pays:
        most = max(table.bonus_pays.values())
        if table.boxes * most * wager > MOST_MONEY:
            yield f"{key}.bonus_wager: {table.boxes} x {wager} x {most} is too much"


def _max_win_faults(table: TableRules, hands: int) -> Iterator[str]:
    if table.max_win is None:
        return
    multiple, basis = table.max_win
    # A doubled hand has two wagers at stake and wins four, stake included; a natural
    # may win more where the table says so.
    natural = 1 + -(-table.natural_pays.numerator // table.natural_pays.denominator)
    needed = {"hand": 2, "stake": 1, "round": max(4, natural) * (hands - 1) + 2}[basis]
    if multiple.numerator < needed * multiple.denominator:
        yield (
            f"max_win.multiple: a win could pay less than its stake; with basis "
            f"'{basis}' it must be at least {needed}:1"
        )
