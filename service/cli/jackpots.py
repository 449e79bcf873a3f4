"""`upcard jackpots`: what each holds, whether it adds up, and its parameters."""

from pathlib import Path
from typing import Final

import click

from service import changes
from service.cli.acting import actor
from service.cli.environment import config_or_exit, owners_database, plainly
from service.cli.jackpot_files import (
    keep_jackpot,
    load_shipped_jackpots,
    newest_tables,
    parsed_jackpots,
    returns_of,
)
from service.cli.tables import columns
from service.currencies import exponent
from service.meter import PARTS, Meter
from service.meters import Meters
from service.store.database import Database
from service.store.jackpots import (
    HitSums,
    all_meters,
    hit_sums,
    moment_of_meters,
)
from service.store.operators import all_operators
from service.tablefile import parse_table, shipped_tables

_FILES: Final = click.Path(path_type=Path)
_SHORT: Final = 12
_PART_DIGITS: Final = len(str(PARTS)) - 1
_OPERATOR: Final = click.option("--operator", metavar="NAME", help="Only that one's.")


@click.group("jackpots")
def command() -> None:
    """Show the jackpots, see that they add up, load their files.

    A jackpot is a TOML file: reset value, contribution, ceiling, tables. Each operator
    has a meter of his own. A changed file waits, for each meter, until its next hit.
    """


@command.command(short_help="Check jackpot FILES, and name every fault.")
@click.argument("files", nargs=-1, required=True, type=_FILES)
def check(files: tuple[Path, ...]) -> None:
    """Check jackpot FILES against the tables that come with Upcard."""
    tables = {
        table.table_id: table
        for table in (parse_table(text, name) for name, text in shipped_tables())
    }
    for jackpot, _ in parsed_jackpots(files, tables):
        click.echo(f"{jackpot.jackpot_id}: right; {returns_of(jackpot, tables)}")


@command.command()
@click.argument("files", nargs=-1, type=_FILES)
@click.option("--why", help="For those who ask later.")
def load(files: tuple[Path, ...], why: str | None) -> None:
    """Load jackpot FILES, or those that come with Upcard.

    A meter goes by the new version from its next hit on; a file that others have
    followed may be loaded again.
    """
    with owners_database(config_or_exit()) as database:
        if not files:
            said: list[str] = []
            load_shipped_jackpots(database, said.append)
            new = " ".join(said).rstrip(",") or "nothing, all were loaded before"
            click.echo(f"loaded: {new}")
            return
        tables = newest_tables(database)
        for jackpot, text in parsed_jackpots(files, tables):
            with plainly():
                is_new = keep_jackpot(database, actor(why), jackpot, text)
            how = "loaded" if is_new else "was loaded before"
            click.echo(
                f"{jackpot.jackpot_id}: {how}; version {jackpot.version[:_SHORT]}; "
                f"{returns_of(jackpot, tables)}"
            )


@command.command("list")
@_OPERATOR
def list_(operator: str | None) -> None:
    """Show every meter: what it holds, was given, and has paid."""
    heads = ("operator", "jackpot", "meter", "overflow", "contributions", "resets")
    rows: list[tuple[str, ...]] = [(*heads, "reserved", "paid", "hits", "version")]
    with owners_database(config_or_exit()) as database:
        meters = Meters(database)
        newest = {one.jackpot_id: one.version for one in meters.jackpots()}
        for meter in _meters(database, operator):
            jackpot = meters.in_force(meter)
            held = hit_sums(database, meter.operator, meter.jackpot_id)
            now = meters.meter(meter.operator, jackpot)
            sums = (now.current, now.overflow, now.contributed, now.resets * PARTS)
            out = (held.reserved * PARTS, held.paid * PARTS)
            version = meter.version[:_SHORT]
            if meter.version != newest[meter.jackpot_id]:
                version += f" (at the next hit {newest[meter.jackpot_id][:_SHORT]})"
            money = (exact_money(parts, jackpot.currency) for parts in (*sums, *out))
            place = (meter.operator, f"{meter.jackpot_id} {jackpot.currency}")
            rows.append((*place, *money, str(held.hits), version))
    for line in columns(rows):
        click.echo(line)


@command.command(short_help="See that each meter adds up.")
@_OPERATOR
def reconcile(operator: str | None) -> None:
    """See that contributions + resets = meter + reserved + paid + overflow.

    To the last fraction, for each meter, and as of one moment. Ends with 1 if it is not
    so. `upcard reconcile` holds contributions and hits against the log, too.
    """
    wrong = 0
    with owners_database(config_or_exit()) as database:
        _meters(database, operator)
        meters = Meters(database)
        for meter, held in moment_of_meters(database):
            if operator not in {None, meter.operator}:
                continue
            currency = meters.in_force(meter).currency
            rest = meter.rest(held.reserved + held.paid)
            wrong += bool(rest)
            click.echo(f"{meter.operator} {meter.jackpot_id} {currency}")
            for name, parts in _parts(meter, held):
                click.echo(f"  {name:15} {exact_money(parts, currency):>20}")
            said = "adds up" if not rest else "DOES NOT ADD UP"
            click.echo(f"  {said:15} {exact_money(rest, currency):>20}")
    raise SystemExit(1 if wrong else 0)


@command.command(
    "move-overflow", short_help="Move the overflow of JACKPOT into its meter."
)
@click.argument("jackpot")
@click.option("--operator", required=True, metavar="NAME", help="Whose meter.")
@click.option("--reason", "--why", "reason", required=True, help="For the audit.")
def move_overflow(jackpot: str, operator: str, reason: str) -> None:
    """Move the overflow of JACKPOT into its meter, as far as the ceiling lets it.

    The overflow is what came in while the meter stood at its ceiling; there is room for
    it after a hit.
    """
    with owners_database(config_or_exit()) as database:
        meters = Meters(database)
        if not any(one.jackpot_id == jackpot for one in _meters(database, operator)):
            raise click.ClickException(f"operator {operator} has no jackpot {jackpot}")
        place = (operator, jackpot)
        amount = changes.move_overflow(database, actor(reason), place)
        currency = next(
            one.currency for one in meters.jackpots() if one.jackpot_id == jackpot
        )
    money = exact_money(amount * PARTS, currency)
    click.echo(f"{operator} {jackpot}: moved {money} {currency}; {reason}")


def _meters(database: Database, operator: str | None) -> list[Meter]:
    """Return all meters or an operator's. Ends plainly where he is unknown."""
    known = [row.operator for row in all_operators(database)]
    if operator is not None and operator not in known:
        raise click.ClickException(f"there is no operator {operator}")
    return [m for m in all_meters(database) if operator in {None, m.operator}]


def _parts(meter: Meter, held: HitSums) -> tuple[tuple[str, int], ...]:
    return (
        ("contributions", meter.contributed),
        ("resets", meter.resets * PARTS),
        ("meter", meter.current),
        ("reserved", held.reserved * PARTS),
        ("paid", held.paid * PARTS),
        ("overflow", meter.overflow),
    )


def exact_money(parts: int, currency: str) -> str:
    """Return parts of minor units as an amount of a currency, to the last one.

    >>> exact_money(7_500_015_500_000, "USD"), exact_money(-5, "JPY")
    ('75000.155', '-0.000005')
    """
    digits = exponent(currency)
    whole, rest = divmod(abs(parts), PARTS * 10**digits)
    decimals = f"{rest:0{digits + _PART_DIGITS}}"
    decimals = decimals[:digits] + decimals[digits:].rstrip("0")
    return f"{'-' if parts < 0 else ''}{whole}{'.' if decimals else ''}{decimals}"
