"""What may be asked of a round, and how it is refused.

Times are UTC microseconds and come with the command: the rules have no clock.
"""

from typing import Literal, NamedTuple

from service.rules.events import DecidedBy
from service.rules.legal import Action
from service.rules.round import Round, Status
from service.rules.table import Limits, TableRules

Code = Literal[
    "action_not_legal",
    "bonus_not_offered",
    "bonus_wager_wrong",
    "box_not_offered",
    "box_not_yours",
    "box_repeated",
    "currency_not_offered",
    "insurance_all_or_none",
    "insurance_answered",
    "insurance_not_open",
    "insurance_open",
    "round_decided",
    "round_expired",
    "round_malfunction",
    "round_not_decided",
    "round_not_expired",
    "round_settled",
    "round_void",
    "wager_above_maximum",
    "wager_above_own_limit",
    "wager_below_minimum",
    "wager_off_step",
]


class BoxWager(NamedTuple):
    """The bets asked for one box, in minor units; no bonus wager is 0."""

    box: int
    player: str
    wager: int
    bonus_wager: int = 0


class Deal(NamedTuple):
    """Open a round on a shoe: at which place it begins, who shuffled it.

    ``limits`` are those in force, where they are not the table's own; ``own_limit`` is
    the most that the player lets himself bet on a box.
    """

    table: TableRules
    currency: str
    boxes: tuple[BoxWager, ...]
    raise_to_minimum: bool
    at: int
    shoe_id: str
    first_place: int
    shuffler: str
    commitment: str
    limits: Limits | None = None
    own_limit: int | None = None


class Insure(NamedTuple):
    """Insure these boxes of the player; his others pass."""

    player: str
    boxes: tuple[int, ...]
    at: int


class Prize(NamedTuple):
    """What a jackpot would pay now, in minor units."""

    jackpot_id: str
    amount: int


class Act(NamedTuple):
    """Play one action on a hand; ``jackpot`` is reserved if this card hits it."""

    player: str
    hand: str
    action: Action
    at: int
    decided_by: DecidedBy = "player"
    jackpot: Prize | None = None


class Settle(NamedTuple):
    """Pay a round in which nothing is left to decide."""

    at: int


class Expire(NamedTuple):
    """End a round that was left open past its time."""

    at: int


class Malfunction(NamedTuple):
    """Take all back that a round has paid and was paid, whatever it has come to."""

    at: int
    reason: str


Command = Deal | Insure | Act | Settle | Expire | Malfunction


class Problem(NamedTuple):
    """One fault of a deal: at which box, where it is (a JSON pointer), what is right.

    ``raised_to`` is what the wager would be with ``raise_to_minimum``.
    """

    box: int
    pointer: str
    code: Code
    detail: str
    accepted: int | None = None
    raised_to: int | None = None


class Refused(Exception):
    """A command that the state of the round or the rules of its table forbid.

    ``code`` is stable, ``detail`` is for people, ``reason`` says why an action is
    not legal, ``problems`` lists every fault where a command can have several.
    """

    def __init__(
        self,
        code: Code,
        detail: str,
        reason: str | None = None,
        problems: tuple[Problem, ...] = (),
    ) -> None:
        """Keep what is wrong; nothing has happened to the round."""
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.reason = reason
        self.problems = problems


def refuse_if_over(round_: Round, command: Command) -> None:
    """Raise Refused for what comes too late, or too early, in a round's life."""
    status = round_.status
    if status == "malfunction":
        detail = "The round malfunctioned: it counts for nothing, and is over."
        raise Refused("round_malfunction", detail)
    if not isinstance(command, Malfunction):
        _refuse_if_played(round_, status, command)


def _refuse_if_played(round_: Round, status: Status, command: Command) -> None:
    if status == "void":
        raise Refused("round_void", "The round expired and was voided.")
    if status == "settled":
        raise Refused("round_settled", "The round is settled; it is over.")
    if isinstance(command, Settle):
        if status != "awaiting_settlement":
            detail = "Hands still wait for a decision; settle when none does."
            raise Refused("round_not_decided", detail)
    elif status == "awaiting_settlement":
        detail = "Nothing is left to decide; the round waits for its settlement."
        raise Refused("round_decided", detail)
    elif isinstance(command, Expire):
        if command.at < round_.opened.expires_at:
            raise Refused("round_not_expired", "The round's time is not over yet.")
    elif command.at >= round_.opened.expires_at:
        detail = "The round was left open too long: it can be read, not played."
        raise Refused("round_expired", detail)
