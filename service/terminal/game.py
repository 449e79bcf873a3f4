"""The loop: rounds are dealt, played to their end and settled, one after another.

Who decides is a `Player`: a `person.Person` who is asked, or a `robot.Robot`.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from service.terminal.api import Api, Problem, path_of
from service.terminal.score import Score
from service.terminal.shapes import BoxWager, Legal, Reply, Round, Table
from service.terminal.words import REPAIRABLE

ENDED: Final = {"settled", "void", "malfunction"}
_OVERTAKEN: Final = {
    *("version_stale", "action_not_legal", "insurance_open", "insurance_not_open"),
    *("insurance_answered", "insurance_all_or_none", "round_not_decided"),
    *("round_decided", "round_settled", "round_void", "round_malfunction"),
}
"""Refusals that say that the round is not as it was shown: it is read again."""
_TOO_DEAR: Final = {"currency_mismatch", "insufficient_funds"}
"""Refusals of moves that cost money: the player may choose one that costs none."""


class Stuck(Exception):
    """The round can't go on from here; the message says why."""


class Wagers(NamedTuple):
    """What to deal for."""

    boxes: Sequence[BoxWager]
    raise_to_minimum: bool = False


class Player(Protocol):
    """Decides, and sees what comes of it."""

    def wagers(self, refusal: Problem | None) -> Wagers:
        """Choose the next round's wagers; `refusal` says why the last ones were not."""
        ...

    def insure(self, round_: Round) -> Legal:
        """Choose one of the legal answers to the insurance."""
        ...

    def act(self, round_: Round) -> Legal:
        """Choose one of the legal actions."""
        ...

    def see(self, reply: Reply) -> None:
        """Look at what a command did; without events, at a round as it was found."""
        ...

    def hear(self, problem: Problem) -> None:
        """Take note of a refusal after which the round was read again."""
        ...

    def finished(self, round_: Round) -> None:
        """Take note of the end of a round."""
        ...


class Game:
    """One player's rounds at one table."""

    def __init__(self, api: Api, table: Table, score: Score, player: Player) -> None:
        self._api: Final = api
        self._table: Final = table
        self._score: Final = score
        self._player: Final = player
        self.open: Round | None = None
        """The round that waits, as it was last seen."""

    def resume(self, round_: Round) -> None:
        """Play a round that was found open."""
        self._play({"round": round_, "events": []})

    def play(self, rounds: int | None = None) -> None:
        """Play so many rounds, or until the player leaves.

        Raises:
            Problem, NoAnswer, NotUpcard: the server can't or won't go on.
            Stuck: the round can't.
        """
        while rounds is None or self._score.rounds < rounds:
            self._play(self._deal())

    def _deal(self) -> Reply:
        """Place wagers until they are taken; return the round, or the open one."""
        refusal = None
        while True:
            boxes, raised = self._player.wagers(refusal)
            try:
                return self._api.deal(
                    self._table,
                    self._score.money.currency,
                    boxes,
                    raise_to_minimum=raised,
                )
            except Problem as problem:
                if problem.code == "round_open_exists":
                    self._player.hear(problem)
                    found = self._api.round_at(problem.document["round_url"])
                    return {"round": found, "events": []}
                if problem.code not in REPAIRABLE:
                    raise
                refusal = problem

    def _play(self, reply: Reply) -> None:
        """Play a round to its end."""
        while True:
            round_ = self.open = reply["round"]
            if [event["type"] for event in reply["events"]] != ["round_settled"]:
                self._player.see(reply)  # the settlement changes nothing in the picture
            if round_["status"] in ENDED:
                break
            reply = self._next(round_)
        self.open = None
        self._score.add(round_)
        self._player.finished(round_)

    def _next(self, round_: Round) -> Reply:
        """Send the next command; if the round is another by now, return that."""
        try:
            return self._command(round_)
        except Problem as problem:
            if problem.code not in _OVERTAKEN | _TOO_DEAR:
                raise
            found: Round = problem.document.get("round") or self._api.round_at(
                path_of(round_)
            )
            if found["version"] == round_["version"] and problem.code not in _TOO_DEAR:
                raise  # nothing has changed, so it would be refused for ever
            self._player.hear(problem)
            return {"round": found, "events": []}

    def _command(self, round_: Round) -> Reply:
        """Send what the player decides, or the settlement."""
        match round_["status"]:
            case "insurance":
                answer = self._player.insure(round_)
                return self._api.insure(round_, answer["boxes"])
            case "playing":
                move = self._player.act(round_)
                return self._api.act(round_, move["hand"], move["action"])
            case "awaiting_settlement":
                return self._api.settle(round_)
            case other:
                raise Stuck(f"the round is in a state this client can't play: {other}")
