"""`upcard operators tables`: what an operator changes of a table, by currency."""

from typing import NamedTuple

import click

from service.changes import change_offer
from service.cli.acting import actor
from service.cli.environment import config_or_exit, owners_database
from service.cli.named import check_operator
from service.currencies import exponent
from service.offers import offer_faults
from service.rules.table import TableRules
from service.store.database import Database
from service.store.operators import (
    Offer,
    offers_of,
)
from service.store.tables import all_table_versions
from service.tablefile import parse_table
from service.terminal.money import Money, Unclear


class Changes(NamedTuple):
    """What is to be changed; None stays as it is. Amounts are in units, as typed."""

    enabled: bool | None
    minimum: str | None
    maximum: str | None
    exposure: str | None


@click.command("tables", short_help="What the operator NAME offers of a TABLE.")
@click.argument("name")
@click.argument("table")
@click.argument("currency")
@click.option("--enable/--disable", "enabled", default=None, help="For new rounds.")
@click.option("--minimum", metavar="UNITS", help="The smallest first wager of a box.")
@click.option("--maximum", metavar="UNITS", help="The largest one.")
@click.option("--exposure", metavar="UNITS", help="The most at stake in a round.")
@click.option("--reset", is_flag=True, help="Offer it as the table's file says.")
@click.option("--why", metavar="TEXT", help="For those who ask later; to --disable.")
def tables(  # noqa: PLR0913 - one parameter an option
    *,
    name: str,
    table: str,
    currency: str,
    enabled: bool | None,
    minimum: str | None,
    maximum: str | None,
    exposure: str | None,
    reset: bool,
    why: str | None,
) -> None:
    """Show or change what the operator NAME offers of a TABLE in a CURRENCY.

    Amounts are in units, such as 2500 or 0.50. They hold for new rounds; what is not
    named stays as it was.
    """
    changes = Changes(enabled, minimum, maximum, exposure)
    if enabled is False and why is None:
        raise click.UsageError("--disable needs a --why")
    who = actor(why)
    with owners_database(config_or_exit()) as database:
        check_operator(database, name)
        rules = _rules(database, table, currency)
        offer = Offer(name, table, currency)

        def changed(held: Offer) -> Offer:
            made = _changed(offer if reset else held, changes)
            _check(made, rules)
            return made

        if reset or any(change is not None for change in changes):
            offer = change_offer(database, who, offer, changed)
        else:
            offer = _offer(database, name, table, currency)
    click.echo(_shown(offer, rules))


def _rules(database: Database, table: str, currency: str) -> TableRules:
    versions = [row for row in all_table_versions(database) if row.table_id == table]
    if not versions:
        raise click.ClickException(f"no table {table} is loaded")
    rules = parse_table(versions[-1].source, table)
    if currency not in rules.limits:
        taken = ", ".join(sorted(rules.limits))
        raise click.ClickException(f"{table} takes {taken}, not {currency}")
    return rules


def _offer(database: Database, name: str, table: str, currency: str) -> Offer:
    for offer in offers_of(database, name):
        if (offer.table_id, offer.currency) == (table, currency):
            return offer
    return Offer(name, table, currency)


def _changed(offer: Offer, changes: Changes) -> Offer:
    return offer._replace(
        enabled=offer.enabled if changes.enabled is None else changes.enabled,
        minimum=_read("minimum", changes.minimum, offer) or offer.minimum,
        maximum=_read("maximum", changes.maximum, offer) or offer.maximum,
        exposure=_read("exposure", changes.exposure, offer) or offer.exposure,
    )


def _read(option: str, text: str | None, offer: Offer) -> int | None:
    """Return an amount in minor units, which is more than nothing."""
    if text is None:
        return None
    try:
        amount = Money(offer.currency, exponent(offer.currency)).read(text)
    except Unclear as unclear:
        raise click.UsageError(f"--{option}: {unclear}") from None
    if not amount:
        raise click.UsageError(f"--{option}: must be more than nothing")
    return amount


def _check(offer: Offer, rules: TableRules) -> None:
    """Refuse limits that a table's file would be refused with."""
    faults = [f"  {fault}" for fault in offer_faults(rules, offer)]
    if faults:
        lines = "\n".join(faults)
        unit = Money(offer.currency, exponent(offer.currency)).text(100)
        raise click.ClickException(
            f"{offer.table_id} can't be offered so; as its file has it, where 100 is "
            f"{unit}:\n{lines}"
        )


def _shown(offer: Offer, rules: TableRules) -> str:
    money = Money(offer.currency, exponent(offer.currency))
    limits = rules.limits[offer.currency]
    state = "offered" if offer.enabled else "disabled"
    low = money.plain(offer.minimum or limits.minimum)
    high = money.text(offer.maximum or limits.maximum)
    most = "any" if offer.exposure is None else money.text(offer.exposure)
    shown = f"{offer.table_id}: {state}, wagers {low} to {high}, exposure {most}"
    if (offer.maximum or 0) > limits.maximum:
        shown += f"\nThe table's file allows {money.text(limits.maximum)} at most."
        win = rules.cap(offer.maximum or 0)
        if win is not None:
            shown += f" The max win grows with the maximum, to {money.text(win)}."
    return shown
