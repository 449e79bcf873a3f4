"""Proofs of rounds that were really played, for honest and for forging tests."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from service.chance import WholeShoe
from service.proof import LoggedRow, MoneyRow, proof_of
from service.recorded import Ask, data_of, next_row
from service.rules.cards import deck_order
from service.rules.commands import Act, BoxWager, Command, Deal, Expire, Insure, Settle
from service.rules.decide import decide
from service.rules.fold import fold
from service.rules.legal import LegalAction, legal_actions
from service.rules.round import Round
from service.rules.table import TableRules
from service.store.rows import LogRow
from service.tablefile import parse_table
from service.wallet.move import Move, move_of
from tests.rules.rig import shoe_of
from tests.rules.tables import table_text

Document = dict[str, Any]

ACCOUNT: Final = "0b4f9a9c-8a0e-5f0b-9f0e-0d4d0a6f3c11"
ROUND: Final = "01890a5d-ac96-774b-bcce-b302099a8057"
SHOE: Final = "01890a5d-ac96-774b-bcce-b302099a8058"
OPENED: Final = 1_790_000_000_000_000
SECOND: Final = 1_000_000
BALANCE: Final = 1_000_000
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
    rows: list[LogRow] = []
    money: list[MoneyRow] = []
    round_: Round | None = None
    command: Command = deal
    balance = BALANCE
    while True:
        events = decide(round_, command, shoe)
        before, round_ = round_, fold(events, round_)
        move = move_of(before, round_, events)
        balance += move.payout - move.stake
        player = getattr(command, "player", "ann")
        shown = None if move.is_nothing else balance
        last = rows[-1] if rows else None
        rows.append(_row(last, player, command.at, data_of(events, shown)))
        if not move.is_nothing:
            money += _lines(len(rows), move, balance)
        if round_.closed_at is not None:
            return document_of(rows, shoe, table_text(table_id), money)
        at = rows[-1].at + SECOND
        command = command_for(round_, choose(legal_actions(round_)), at)


def document_of(
    rows: Sequence[LoggedRow],
    shoe: WholeShoe,
    source: str,
    money: Sequence[MoneyRow] = (),
) -> Document:
    """Return a proof as a client has it: parsed from JSON text."""
    found: Document = json.loads(json.dumps(proof_of(rows, shoe, source, money)))
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


def _row(last: LogRow | None, player: str, at: int, data: bytes) -> LogRow:
    key = f"key-{last.ver + 1 if last else 1:05}"
    return next_row(last, Ask(ACCOUNT, player, key, b"r"), ROUND, at, data)


def _lines(ver: int, move: Move, balance: int) -> Iterator[MoneyRow]:
    """Yield the ledger's lines of a command, all of whose boxes are one player's."""
    player = move.payout - move.stake
    held = -move.held if move.ends else -player
    sides = {"player": player, "held": held, "house": -player - held}
    for side, amount in sides.items():
        if amount or side == "player":
            shown = balance if side == "player" else None
            what = (None, move.purpose, side, amount, "USD", None, shown)
            yield MoneyRow("ledger", f"entry-{ver}", ver, *what)
