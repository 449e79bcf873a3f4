"""`upcard gaming`: stop and start all gaming, or one operator's."""

import click

from service.changes import EVERYBODY
from service.changes import start as start_again
from service.changes import stop as stop_now
from service.cli.acting import actor
from service.cli.environment import config_or_exit, owners_database
from service.cli.named import check_operator

_OPERATOR = click.option("--operator", metavar="NAME", help="Only that operator's.")


@click.group("gaming")
def command() -> None:
    """Stop and start all gaming, or one operator's.

    While it is stopped no new money is taken: no deal, double, split or insurance.
    Open rounds may be finished, and are paid.
    """


@command.command()
@_OPERATOR
@click.option("--why", required=True, help="For those who ask later.")
def stop(operator: str | None, why: str) -> None:
    """Take no new money from now on."""
    with owners_database(config_or_exit()) as database:
        check_operator(database, operator)
        whose = (operator or EVERYBODY, EVERYBODY)
        stop_now(database, actor(why), *whose, why)
    click.echo(f"stopped: {operator or 'everybody'}")


@command.command()
@_OPERATOR
@click.option("--why", help="For those who ask later.")
def start(operator: str | None, why: str | None) -> None:
    """Take money again."""
    with owners_database(config_or_exit()) as database:
        check_operator(database, operator)
        whose = (operator or EVERYBODY, EVERYBODY)
        was_stopped = start_again(database, actor(why), *whose)
    said = "started" if was_stopped else "was not stopped"
    click.echo(f"{said}: {operator or 'everybody'}")
