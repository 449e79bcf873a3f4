"""`upcard players`: block and unblock a player, end his sessions."""

import re
from typing import Final

import click

from service.api.tokens import Mode, account_of
from service.changes import start, stop
from service.cli.acting import actor
from service.cli.environment import config_or_exit, owners_database
from service.cli.named import check_operator
from service.store.sessions import end_sessions as end_all
from service.store.standing import is_anybody

_MODES: Final[tuple[Mode, ...]] = ("real", "demo")
_NAME: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


@click.group("players")
def command() -> None:
    """Block and unblock a player, end his sessions.

    PLAYER is OPERATOR's name for him. He may finish his open rounds, and is paid.
    """


@command.command()
@click.argument("operator")
@click.argument("player")
@click.option("--why", required=True, help="For those who ask later.")
def block(operator: str, player: str, why: str) -> None:
    """Take no new money of a player, in whatever session."""
    if not _NAME.fullmatch(player):
        raise click.UsageError("PLAYER is 1 to 64 of A-Z a-z 0-9 _ . : -")
    with owners_database(config_or_exit()) as database:
        check_operator(database, operator)
        stop(database, actor(why), operator, player, why)
        accounts = [account_of(operator, player, mode) for mode in _MODES]
        is_known = is_anybody(database, accounts)
    unknown = "" if is_known else " (never seen here: check the name)"
    click.echo(f"{player} of {operator} is blocked{unknown}")


@command.command()
@click.argument("operator")
@click.argument("player")
@click.option("--why", help="For those who ask later.")
def unblock(operator: str, player: str, why: str | None) -> None:
    """Take a player's money again."""
    with owners_database(config_or_exit()) as database:
        check_operator(database, operator)
        was_blocked = start(database, actor(why), operator, player)
    said = "is unblocked" if was_blocked else "was not blocked"
    click.echo(f"{player} of {operator} {said}")


@command.command("end-sessions", short_help="End all of a player's sessions.")
@click.argument("operator")
@click.argument("player")
def end_sessions(operator: str, player: str) -> None:
    """End all of a player's sessions; no round is dealt in them any more."""
    with owners_database(config_or_exit()) as database:
        check_operator(database, operator)
        count = end_all(database, operator, player)
    click.echo(f"{player} of {operator}: {count} ended")
