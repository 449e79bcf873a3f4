"""`upcard gaming`: stop and start all gaming, or one operator's."""

import click

from service.cli.environment import config_or_exit, owners_database
from service.store.operators import all_operators
from service.store.standing import start as start_again
from service.store.standing import stop as stop_now

_EVERYBODY = "*"
_OPERATOR = click.option("--operator", metavar="NAME", help="Only that operator's.")


@click.group("gaming")
def command() -> None:
    """Stop and start all gaming, or one operator's.

    While it is stopped no new money is taken: no deal, double, split or insurance.
    Open rounds may be finished, and are paid.
    """


@command.command()
@_OPERATOR
@click.option("--why", default="no reason was given", help="For those who ask later.")
def stop(operator: str | None, why: str) -> None:
    """Take no new money from now on."""
    with owners_database(config_or_exit()) as database:
        known = {row.operator for row in all_operators(database)}
        if operator is not None and operator not in known:
            raise click.ClickException(f"there is no operator {operator}")
        stop_now(database, operator or _EVERYBODY, _EVERYBODY, why)
    click.echo(f"stopped: {operator or 'everybody'}")


@command.command()
@_OPERATOR
def start(operator: str | None) -> None:
    """Take money again."""
    with owners_database(config_or_exit()) as database:
        was_stopped = start_again(database, operator or _EVERYBODY, _EVERYBODY)
    said = "started" if was_stopped else "was not stopped"
    click.echo(f"{said}: {operator or 'everybody'}")
