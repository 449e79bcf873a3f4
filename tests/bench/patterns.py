"""Real rounds as patterns: played once through the rules, to be stored many times.

A pattern is a round's rows with holes in place of what differs: ids, the player, the
times and balances. What fills the holes makes another round that is as valid.
"""

import re
from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

from service.chance import WholeShoe, shuffled
from service.recorded import data_of, projection_of
from service.rules.cards import deck_order
from service.rules.commands import Act, BoxWager, Command, Deal, Insure, Settle
from service.rules.decide import decide
from service.rules.events import Event
from service.rules.fold import fold
from service.rules.legal import legal_actions
from service.rules.round import Round
from service.rules.table import TableRules
from service.store.ledger import Line
from service.store.rows import Holder, LogRow, RoundRow
from service.tablefile import parse_table, shipped_tables
from service.wallet.move import move_of

BEGUN: Final = 1_700_000_000_000_000
"""When each pattern was dealt; a hole of time counts from it."""
SECOND: Final = 1_000_000
OPERATOR: Final = "bench"
CURRENCY: Final = "USD"
_ID: Final = "00000000-0000-7000-8000-00000000feed"
_PLAYER: Final = "pattern-player"
_BALANCE: Final = 777_777_777_777_777
_HOLES: Final = re.compile(
    rb"(%s)|(%s)|(%d)|\b(17\d{14})\b" % (_ID.encode(), _PLAYER.encode(), _BALANCE)
)
_HOLDER: Final = Holder(_ID, OPERATOR, _PLAYER, "real")


class Step(NamedTuple):
    """A row of a pattern: the data around its holes, what fills them, its money."""

    after: int
    """Microseconds from the deal."""
    text: bytes
    holes: tuple[str | int, ...]
    """"id", "player", "balance", or microseconds from the deal."""
    purpose: str | None
    """None where no money moves."""
    lines: tuple[Line, ...]

    @property
    def gain(self) -> int:
        """What the player gains, in minor units."""
        return sum(line.amount for line in self.lines if line.side == "player")


class Pattern(NamedTuple):
    """A round that was played, to be stored under other ids."""

    shoe: WholeShoe
    steps: tuple[Step, ...]
    projection: RoundRow


def patterns(count: int, random: Random) -> list[Pattern]:
    """Play rounds at all tables of one player, with every number of boxes."""
    texts = [parse_table(text, source) for source, text in shipped_tables()]
    tables = [table for table in texts if table.seating != "shared"]
    return [_played(tables[n % len(tables)], random, 0) for n in range(count)]


def unfinished(count: int, random: Random) -> list[Pattern]:
    """Play rounds that their players left before everything was decided."""
    texts = [parse_table(text, source) for source, text in shipped_tables()]
    tables = [table for table in texts if table.seating != "shared"]
    found: list[Pattern] = []
    while len(found) < count:
        pattern = _played(tables[len(found) % len(tables)], random, 2)
        if pattern.projection.decided_at is None:
            found.append(pattern)
    return found


def _played(table: TableRules, random: Random, most: int) -> Pattern:
    """Play a round to its end, or `most` commands of it."""
    order = shuffled(deck_order(table.decks), random.randrange)
    shoe = WholeShoe(random.randbytes(32), "".join(order))
    steps: list[Step] = []
    round_: Round | None = None
    at = BEGUN
    while round_ is None or (round_.closed_at is None and len(steps) != most):
        command = _command(table, round_, shoe, at, random)
        made = decide(round_, command, shoe)
        after = fold(made, round_)
        steps.append(_step(at - BEGUN, round_, after, made))
        round_, at = after, at + random.randrange(1, 6) * SECOND + random.randrange(999)
    row = LogRow(_ID, _ID, len(steps), _PLAYER, 0, "", b"", b"", b"")
    return Pattern(shoe, tuple(steps), projection_of(row, round_, _HOLDER))


def _command(
    table: TableRules, round_: Round | None, shoe: WholeShoe, at: int, random: Random
) -> Command:
    if round_ is None:
        return _deal(table, shoe, random)
    # Nobody hits for ever: now and then a player takes what comes first, a hit.
    legal = legal_actions(round_)
    one = next((one for one in legal if one.action == "stand"), legal[0])
    if random.random() < 0.4:
        one = random.choice(legal)
    if one.command == "settle":
        return Settle(at)
    if one.boxes is not None:
        return Insure(_PLAYER, one.boxes, at)
    assert one.hand
    assert one.action
    return Act(_PLAYER, one.hand, one.action, at)


def _deal(table: TableRules, shoe: WholeShoe, random: Random) -> Deal:
    limits = table.limits[CURRENCY]
    bonus = limits.bonus_wager or 0
    wager = limits.minimum + limits.step * random.randrange(20)
    return Deal(
        table=table,
        currency=CURRENCY,
        boxes=tuple(
            BoxWager(box, _PLAYER, wager, random.choice((0, bonus)))
            for box in range(1, random.randrange(1, table.boxes + 1) + 1)
        ),
        raise_to_minimum=False,
        at=BEGUN,
        shoe_id=_ID,
        first_place=0,
        shuffler="os-csprng",
        commitment=shoe.commitment,
    )


def _step(after: int, before: Round | None, round_: Round, made: list[Event]) -> Step:
    move = move_of(before, round_, made)
    holder = _HOLDER if before is None else None
    data = data_of(made, None if move.is_nothing else _BALANCE, holder)
    assert b"%" not in data, "what is not a hole is kept as it is"
    text, holes = _HOLES.sub(b"%b", data), tuple(_holes(data))
    if move.is_nothing:
        return Step(after, text, holes, None, ())
    player = move.payout - move.stake
    held = -move.held if move.ends else -player
    lines = (Line("player", player), Line("held", held), Line("house", -player - held))
    kept = tuple(line for line in lines if line.amount or line.side == "player")
    return Step(after, text, holes, move.purpose, kept)


def _holes(data: bytes) -> Iterator[str | int]:
    for found in _HOLES.finditer(data):
        if found[4]:
            yield int(found[4]) - BEGUN
        else:
            yield "id" if found[1] else "player" if found[2] else "balance"
