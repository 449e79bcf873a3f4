"""The tables as a list to choose from, and the rules of one in a few words."""

from collections.abc import Collection, Iterator, Sequence

from rich.table import Table as Grid

from service.terminal.money import Money
from service.terminal.shapes import Table


def money_at(table: Table, currency: str) -> Money | None:
    """Return how a currency is written; None if the table does not offer it."""
    limits = table["limits"].get(currency)
    return Money(currency, limits["exponent"]) if limits else None


def tables_list(
    tables: Sequence[Table], currency: str, resumable: Collection[str]
) -> Grid:
    """List the tables by number; `resumable` are those where a round waits."""
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    grid.add_column("")
    for heading in ("table", "wagers", "boxes", "what is special"):
        grid.add_column(heading, overflow="fold")
    for number, table in enumerate(tables, 1):
        money = money_at(table, currency)
        limits = "" if money is None else _limits(table, money)
        waits = table["table_id"] in resumable
        special = (
            "a round waits for you" if waits else ", ".join(_special(table, money))
        )
        style = (
            "bold yellow" if waits else "dim" if table["shared"] or not money else ""
        )
        cells = (str(number), table["table_id"], limits, str(table["boxes"]), special)
        grid.add_row(*cells, style=style)
    return grid


def rules_text(table: Table, money: Money) -> str:
    """Say how a table plays."""
    payouts = table["payouts"]
    parts = [
        f"{table['decks']} decks, {table['boxes']} boxes",
        f"the dealer {table['dealer']['soft_17']}s on soft 17",
        f"blackjack pays {payouts['natural']}, insurance {payouts['insurance']}",
        f"up to {table['split']['hands']} hands a box",
        *_bonus(table, money),
        *_cap(table, money),
    ]
    return "; ".join(parts) + "."


def _limits(table: Table, money: Money) -> str:
    """Write the smallest and the largest wager."""
    limits = table["limits"][money.currency]
    return f"{money.plain(limits['minimum'])} - {money.text(limits['maximum'])}"


def _special(table: Table, money: Money | None) -> Iterator[str]:
    """Name what tells a table from the others."""
    if money is None:
        yield f"no wagers in this currency; {' or '.join(table['limits'])}"
        return
    if table["shared"]:
        yield "seats for several players, not for this client"
    if table["bonus"]:
        yield "bonus bet on aces"
    if table["max_win"]:
        yield from _cap(table, money)
    if table["dealer"]["soft_17"] == "hit":
        yield "the dealer hits soft 17"
    if table["split"]["hands"] > len("ab"):
        yield f"{table['split']['hands']} hands a box"


def _bonus(table: Table, money: Money) -> Iterator[str]:
    """Tell what the bonus bet costs and pays."""
    wager = table["limits"][money.currency]["bonus_wager"]
    if table["bonus"] and wager:
        pays = [line["pays"] for line in table["bonus"]["paytable"]]
        yield (
            f"a bonus bet of {money.plain(wager)} on two or more aces in a row pays "
            f"{min(pays):,} to {max(pays):,} times"
        )


def _cap(table: Table, money: Money) -> Iterator[str]:
    """Tell the most that can be won."""
    if cap := table["max_win"]:
        amount = money.text(cap["amount"][money.currency])
        yield f"pays at most {amount} a {cap['basis']}"
