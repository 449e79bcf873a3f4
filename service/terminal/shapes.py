"""What the client reads of the API's answers, as openapi.yaml describes it.

Only the keys that are used; others may come and are ignored. Money is in minor units.
"""

from typing import Literal, NotRequired, TypedDict

Action = Literal["hit", "stand", "double", "split"]


class Limits(TypedDict):
    """The limits of one currency at a table."""

    minimum: int
    maximum: int
    step: int
    bonus_wager: int | None
    exponent: int


class BonusPay(TypedDict):
    """One line of the bonus bet."""

    line: str
    pays: int
    jackpot: bool


class Bonus(TypedDict):
    """The bonus bet."""

    paytable: list[BonusPay]


class DealerRules(TypedDict):
    """How the dealer plays."""

    soft_17: Literal["stand", "hit"]


class SplitRules(TypedDict):
    """How pairs are split."""

    hands: int


class Payouts(TypedDict):
    """Winnings to stake, as `3:2`."""

    natural: str
    insurance: str


class InsuranceRules(TypedDict):
    """Which boxes may be insured together."""

    choice: Literal["any", "all_or_none"]


class MaxWin(TypedDict):
    """The cap of a round."""

    amount: int
    basis: str


class TableMaxWin(TypedDict):
    """The cap of a table, by currency."""

    amount: dict[str, int]
    basis: str


class Table(TypedDict):
    """A table and its rules."""

    table_id: str
    title: str
    shared: bool
    decks: int
    boxes: int
    dealer: DealerRules
    split: SplitRules
    insurance: InsuranceRules
    payouts: Payouts
    limits: dict[str, Limits]
    bonus: Bonus | None
    max_win: TableMaxWin | None


class Dealer(TypedDict):
    """What is seen of the dealer."""

    cards: list[str]
    hole_card: Literal["none", "face_down", "revealed"]
    total: int
    soft: bool
    natural: bool | None


class Insurance(TypedDict):
    """A box's insurance."""

    status: str
    stake: int
    payout: int | None


class BonusOutcome(TypedDict):
    """What became of a box's bonus bet."""

    line: str | None
    payout: int
    jackpot: bool


class JackpotHeld(TypedDict):
    """A jackpot that is reserved for a box."""

    id: str
    amount: int


class Box(TypedDict):
    """A betting place and its bets."""

    box: int
    mine: bool
    wager: int
    raised_from: int | None
    bonus_wager: int
    insurance: Insurance | None
    jackpot: JackpotHeld | None
    bonus: BonusOutcome | None


class Hand(TypedDict):
    """A hand of a box."""

    hand: str
    box: int
    cards: list[str]
    total: int
    soft: bool
    natural: bool
    wager: int
    stake: int
    doubled: bool
    status: str
    result: str | None
    payout: int | None
    withheld: int | None


class Legal(TypedDict):
    """A request that the round accepts now; which keys it has, `command` says."""

    command: Literal["insure", "act", "settle"]
    cost: int
    boxes: NotRequired[list[int]]
    hand: NotRequired[str]
    action: NotRequired[Action]
    max_payout: NotRequired[int]


class Round(TypedDict):
    """A round as its player sees it."""

    id: str
    table_id: str
    currency: str
    version: int
    status: str
    expires_at: str
    commitment: str
    stake: int
    payout: int | None
    max_win: MaxWin | None
    dealer: Dealer
    boxes: list[Box]
    hands: list[Hand]
    active_hand: str | None
    legal_actions: list[Legal]


class Event(TypedDict):
    """One thing that happened; the keys beside `type` are those of its kind."""

    type: str
    hand: NotRequired[str]
    new_hand: NotRequired[str]
    cards: NotRequired[list[str]]


class Reply(TypedDict):
    """The answer to a command: the round after it, and what it made happen."""

    round: Round
    events: list[Event]


class BoxWager(TypedDict):
    """One box's wagers in a deal."""

    box: int
    wager: int
    bonus_wager: NotRequired[int]
