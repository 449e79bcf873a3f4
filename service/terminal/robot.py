"""A player who needs nobody: it plays as the dealer must, and says a line a round."""

from collections.abc import Callable, Sequence
from typing import Final

from service.terminal.api import Problem
from service.terminal.game import Stuck, Wagers
from service.terminal.score import Score, net_of
from service.terminal.shapes import BoxWager, Legal, Reply, Round, Table
from service.terminal.words import explain, hand_word, result_word

_DEALER_STANDS: Final = 17


class Robot:
    """Takes the same wagers each time, never insures, draws as the dealer draws."""

    def __init__(
        self,
        say: Callable[[str], None],
        table: Table,
        score: Score,
        wagers: Sequence[BoxWager],
    ) -> None:
        """Take where to report, what is played, and the wagers of every round."""
        self._say: Final = say
        self._score: Final = score
        self._wagers: Final = wagers
        self._hits_soft: Final = table["dealer"]["soft_17"] == "hit"

    def wagers(self, refusal: Problem | None) -> Wagers:
        """Return the wagers; a refusal of them ends it, for they will be the same."""
        if refusal:
            raise Stuck(explain(refusal, self._score.money, self._wagers))
        return Wagers(self._wagers)

    def insure(self, round_: Round) -> Legal:
        """Decline."""
        return next(legal for legal in round_["legal_actions"] if not legal["boxes"])

    def act(self, round_: Round) -> Legal:
        """Hit below 17, and on a soft 17 where the dealer does."""
        hand = next(h for h in round_["hands"] if h["hand"] == round_["active_hand"])
        soft_17 = hand["soft"] and hand["total"] == _DEALER_STANDS
        low = hand["total"] < _DEALER_STANDS or (soft_17 and self._hits_soft)
        moves = {legal["action"]: legal for legal in round_["legal_actions"]}
        return moves["hit"] if low and "hit" in moves else moves["stand"]

    def see(self, reply: Reply) -> None:
        """Look at nothing: only the end of a round is told."""

    def hear(self, problem: Problem) -> None:
        """Tell that the round was not as it was thought to be."""
        self._say(explain(problem))

    def finished(self, round_: Round) -> None:
        """Tell a round in a line."""
        hands = ", ".join(
            f"{hand_word(hand['hand'], round_)}: {hand['total']} "
            f"{result_word(hand['result'] or round_['status']).lower()}"
            for hand in round_["hands"]
        )
        self._say(
            f"{self._score.rounds:>4}  {self._score.money.signed(net_of(round_)):>9}  "
            f"dealer {round_['dealer']['total']:>2}; {hands}"
        )
