"""`upcard events`: what was out of the ordinary, and who changed what."""

import datetime as dt
import re
import time
from collections.abc import Iterator
from typing import Any, Final, get_args

import click
import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from service.cli.environment import config_or_exit, service_database
from service.cli.named import check_operator
from service.store.database import Database
from service.store.feed import BEGINNING, Place
from service.store.significant import Kind, Noted, Sought, all_events

_PAGE: Final = 500
_LAST: Final = 50
"""How many are shown unless more are asked for."""
_WIDE: Final = 200
"""Columns where nobody's terminal says how many there are."""
_PAUSE_SECONDS: Final = 1.0
_DIGEST: Final = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")


@click.command("events")
@click.option("--operator", metavar="NAME", help="Only this operator's.")
@click.option(
    "--kind",
    type=click.Choice(get_args(Kind)),
    metavar="KIND",
    help="Only of this kind, such as large_win; a wrong one lists all.",
)
@click.option(
    "--last",
    type=click.IntRange(1),
    default=_LAST,
    show_default=True,
    help="No more than the newest.",
)
@click.option("--all", "every", is_flag=True, help="From the first one on.")
@click.option("--follow", is_flag=True, help="Go on until Ctrl-C.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(  # noqa: PLR0913 - one parameter an option
    *,
    operator: str | None,
    kind: str | None,
    last: int,
    every: bool,
    follow: bool,
    as_json: bool,
) -> None:
    """Show what was out of the ordinary, and who changed what, oldest first.

    Voids, malfunctions, large wins, cut wins, jackpots, debts; every change of a table,
    an offer, an operator, a key, a player's own limit, and every stop: who made it,
    why, before and after.
    """
    with service_database(config_or_exit()) as database:
        check_operator(database, operator)
        sought = Sought(kind)
        found = list(_after(database, operator, sought, BEGINNING))
        _show(found if every else found[-last:], as_json=as_json)
        place = found[-1].place if found else BEGINNING
        while follow:
            time.sleep(_PAUSE_SECONDS)
            new = list(_after(database, operator, sought, place))
            _show(new, as_json=as_json)
            place = new[-1].place if new else place


def _after(
    database: Database, operator: str | None, sought: Sought, place: Place
) -> Iterator[Noted]:
    while page := all_events(database, operator, sought, place, _PAGE):
        yield from page
        place = page[-1].place


def _show(found: list[Noted], *, as_json: bool) -> None:
    if as_json:
        for one in found:
            click.echo(orjson.dumps(_as_json(one)))
    elif found:
        _print(found)


def _print(found: list[Noted]) -> None:
    """Print a table; nothing in an event can move the cursor or set colours."""
    table = Table(box=None, pad_edge=False)
    for heading in ("time (UTC)", "event", "who", "of", "what", "why"):
        table.add_column(heading, overflow="fold")
    for one in found:
        of = " ".join(filter(None, (one.operator or "the house", one.player)))
        cells = (_time(one.at), one.kind, one.who, of, _what(one), one.why or "")
        table.add_row(*(Text(_plain(cell)) for cell in cells))
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDE)
    console.print(table)


def _what(one: Noted) -> str:
    """Return what changed, or what else there is to say, in one line."""
    before, after, data = (_read(raw) for raw in (one.before, one.after, one.data))
    words = [f"{name} {_word(value)}" for name, value in data.items()]
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was != now:
            words.append(f"{name}: {_word(was)} -> {_word(now)}")
    if one.round_id is not None:
        words.insert(0, f"round {one.round_id}")
    return ", ".join(words)


def _word(value: object) -> str:
    """Return a value as people read it; of a digest how it begins.

    >>> _word(None), _word(True), _word("ab" * 32), _word(5)
    ('nothing', 'yes', 'abababababab', '5')
    """
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "yes", False: "no"}[value]
    return _DIGEST.sub(r"\1", str(value))


def _read(raw: bytes | None) -> dict[str, Any]:
    found: dict[str, Any] = {} if raw is None else orjson.loads(raw)
    return found


def _as_json(one: Noted) -> dict[str, Any]:
    fields = one._asdict()
    del fields["place"]
    parts = {
        name: None if fields[name] is None else orjson.loads(fields[name])
        for name in ("before", "after", "data")
    }
    return {"id": one.place.id, **fields, **parts, "at": _time(one.at)}


def _time(at: int) -> str:
    moment = dt.datetime.fromtimestamp(at // 1_000_000, dt.UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)
