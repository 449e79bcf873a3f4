"""Proofs of rounds that were really played, for honest and for forging tests."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

from service.chance import WholeShoe
from service.proof import LoggedRow, proof_of
from service.recorded import Ask, data_of, next_row
from service.rules.cards import deck_order
from service.rules.commands import Act, BoxWager, Command, Deal, Expire, Insure, Settle
from service.rules.decide import decide
from service.rules.legal import LegalAction, legal_actions
from service.rules.round import Round, fold
from service.rules.table import TableRules
from service.store.rows import LogRow
from service.tablefile import parse_table
from tests.rules.rig import shoe_of
from tests.rules.tables import table_text

Document = dict[str, Any]

ACCOUNT: Final = "0b4f9a9c-8a0e-5f0b-9f0e-0d4d0a6f3c11"
ROUND: Final = "01890a5d-ac96-774b-bcce-b302099a8057"
SHOE: Final = "01890a5d-ac96-774b-bcce-b302099a8058"
OPENED: Final = 1_790_000_000_000_000
SECOND: Final = 1_000_000
PLAYERS: Final = ("ann", "bob", "cid", "dot", "eve")

Choose = Callable[[Sequence[LegalAction]], LegalAction | None]


def stacked(story: str, decks: int) -> WholeShoe:
    """Return a whole shoe that begins with the cards of a story (tests.rules.rig)."""
    first = shoe_of(story).cards
    rest = Counter(deck_order(decks)) - Counter(first)
    return WholeShoe(bytes(range(32)), "".join([*first, *sorted(rest.elements())]))


def words(*moves: str) -> Choose:
    """Choose by words, in order: hit, insure (the most that may be), settle ..."""
    left = list(moves)

    def choose(legal: Sequence[LegalAction]) -> LegalAction | None:
        word = left.pop(0)
        if word == "expire":
            return None
        return next(one for one in legal if word in (one.action, one.command))

    return choose


def bets(table: TableRules, count: int, wager: int = 1_000) -> tuple[BoxWager, ...]:
    """Bet on the first boxes; with a bonus where there is one."""
    bonus = table.limits["USD"].bonus_wager or 0
    shared = table.seating == "shared"
    return tuple(
        BoxWager(box, PLAYERS[box - 1] if shared else "ann", wager, bonus)
        for box in range(1, count + 1)
    )


def played(
    table_id: str, shoe: WholeShoe, choose: Choose, boxes: int = 1, wager: int = 1_000
) -> Document:
    """Play a round to its end and return its proof, through JSON as it is served.

    `choose` picks the next command of the legal ones, or None: let it expire.
    """
    table = parse_table(table_text(table_id), table_id)
    deal = Deal(
        table=table,
        currency="USD",
        boxes=bets(table, boxes, wager),
        raise_to_minimum=True,
        at=OPENED,
        shoe_id=SHOE,
        first_place=0,
        shuffler="os-csprng",
        commitment=shoe.commitment,
    )
    events = decide(None, deal, shoe)
    round_ = fold(events)
    rows = [_row(None, "ann", OPENED, events)]
    while round_.closed_at is None:
        at = rows[-1].at + SECOND
        command = command_for(round_, choose(legal_actions(round_)), at)
        events = decide(round_, command, shoe)
        round_ = fold(events, round_)
        player = getattr(command, "player", "ann")
        rows.append(_row(rows[-1], player, command.at, events))
    return document_of(rows, shoe, table_text(table_id))


def document_of(rows: Sequence[LoggedRow], shoe: WholeShoe, source: str) -> Document:
    """Return a proof as a client has it: parsed from JSON text."""
    found: Document = json.loads(json.dumps(proof_of(rows, shoe, source)))
    return found


def command_for(round_: Round, chosen: LegalAction | None, at: int) -> Command:
    """Return the command of a legal action."""
    if chosen is None:
        return Expire(round_.opened.expires_at)
    if chosen.command == "settle":
        return Settle(at)
    if chosen.boxes is not None:
        asked = (box for box in round_.boxes if box.insurance is None)
        owner = {box.box: box.player for box in round_.boxes}
        first = chosen.boxes[0] if chosen.boxes else next(asked).box
        return Insure(owner[first], chosen.boxes, at)
    assert chosen.hand is not None
    assert chosen.action is not None
    number = int(chosen.hand[0])
    player = next(box.player for box in round_.boxes if box.box == number)
    return Act(player, chosen.hand, chosen.action, at)


def _row(last: LogRow | None, player: str, at: int, events: Any) -> LogRow:  # noqa: ANN401 - list of events
    key = f"key-{last.ver + 1 if last else 1:05}"
    return next_row(last, Ask(ACCOUNT, player, key, b"r"), ROUND, at, data_of(events))
