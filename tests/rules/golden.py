"""Golden stories: whole rounds as they were stored, which every later release replays.

Add a story, never write an old one again:

    python -m tests.rules.golden NAME TABLE "P 8,8 | U 6 | H T | 3,K" "split hit"

Options: --bets 10,20 --bonus 1,0 --boxes 1,3 --raise. It goes to golden/NAME.json. The
table's file is copied beside it once: a table that changes later is another version,
and its old rounds are still played by the old text.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

from service.rules.commands import (
    Act,
    BoxWager,
    Command,
    Deal,
    Expire,
    Insure,
    Malfunction,
    Prize,
    Settle,
)
from service.rules.round import Round
from service.rules.stored import encode
from service.rules.table import TableRules
from service.tablefile import parse_table
from tests.rules.nodes import HERE
from tests.rules.rig import Story, deal_of, shoe_of
from tests.rules.tables import table_text

FOLDER: Final = HERE / "golden"
KINDS: Final = {
    "deal": Deal,
    "insure": Insure,
    "act": Act,
    "settle": Settle,
    "expire": Expire,
    "malfunction": Malfunction,
}


def frozen_table(file: str) -> TableRules:
    """Return a table as its text was when its first story was told."""
    return parse_table((FOLDER / file).read_text("utf-8"), file)


def stored_command(command: Command) -> dict[str, Any]:
    """Return a command as plain data; a deal without its table."""
    fields = command._asdict()
    if isinstance(command, Deal):
        del fields["table"], fields["limits"]
        fields["boxes"] = [box._asdict() for box in command.boxes]
    if fields.get("jackpot") is None:
        fields.pop("jackpot", None)  # as before there were meters
    (name,) = (name for name, kind in KINDS.items() if isinstance(command, kind))
    return {"command": name, **fields}


def read_command(stored: dict[str, Any], table: TableRules) -> Command:
    """Return the command of plain data."""
    fields = dict(stored)
    name = fields.pop("command")
    if name == "deal":
        boxes = tuple(BoxWager(**box) for box in fields.pop("boxes"))
        return Deal(table=table, boxes=boxes, **fields)
    if name == "insure":
        fields["boxes"] = tuple(fields["boxes"])
    if fields.get("jackpot"):
        fields["jackpot"] = Prize(*fields["jackpot"])
    command: Command = KINDS[name](**fields)
    return command


def final_of(round_: Round) -> dict[str, Any]:
    """Return what a round has come to, in words that later releases keep."""
    return {
        "status": round_.status,
        "stake": round_.stake,
        "payout": round_.payout,
        "next_place": round_.next_place,
        "dealer": " ".join(round_.dealer),
        "boxes": [
            f"{box.box} {box.player}: wager {box.wager}, insurance {box.insurance}, "
            f"{box.insurance_payout}, bonus {box.bonus.line if box.bonus else None}"
            for box in round_.boxes
        ],
        "hands": [
            f"{hand.name}: {' '.join(hand.cards)} = {hand.total.points}, {hand.state}, "
            f"{hand.result}, stake {hand.stake}, {hand.payout} - {hand.withheld}"
            for hand in round_.hands
        ],
    }


def lines(rows: list[dict[str, Any]], indent: str) -> str:
    """Return a JSON array with one row a line."""
    return f",\n{indent}".join(json.dumps(row) for row in rows)


def text_of(shoe: str, table: str, story: Story) -> str:
    """Return the file of a story, made for reading."""
    steps = ",\n".join(
        f'    {{"ask": {json.dumps(stored_command(command))},\n     "events": [\n'
        f"      {lines([encode(event) for event in reply], '      ')}]}}"
        for command, reply in zip(story.commands, story.replies, strict=True)
    )
    final = json.dumps(final_of(story.round), indent=2).replace("\n", "\n  ")
    head = json.dumps({"table": table, "shoe": shoe})[1:-1]
    return f'{{\n  {head},\n  "steps": [\n{steps}\n  ],\n  "final": {final}\n}}\n'


def main(words: list[str]) -> int:
    """Tell a story and keep it; an old one is left alone."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("name", "table", "shoe", "moves"):
        parser.add_argument(name)
    for option in ("--bets", "--bonus", "--boxes"):
        parser.add_argument(option, default="")
    parser.add_argument("--raise", dest="raises", action="store_true")
    asked = parser.parse_args(words)
    boxes = asked.shoe.partition("|")[0].count("/") + 1
    target, frozen = FOLDER / f"{asked.name}.json", FOLDER / f"{asked.table}.toml"
    if not frozen.exists():
        frozen.write_text(table_text(asked.table), "utf-8")
    deal = deal_of(
        frozen_table(frozen.name),
        [float(bet) for bet in asked.bets.split(",") if bet] or [10] * boxes,
        bonus=[int(bet) for bet in asked.bonus.split(",") if bet],
        boxes=[int(box) for box in asked.boxes.split(",") if box],
        raise_to_minimum=asked.raises,
    )
    story = Story(deal, shoe_of(asked.shoe)).play(asked.moves)
    with target.open("x", encoding="utf-8") as file:
        file.write(text_of(asked.shoe, frozen.name, story))
    sys.stdout.write(f"{target.relative_to(Path.cwd())}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
