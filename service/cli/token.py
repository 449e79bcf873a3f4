"""`upcard token`: a player's token, as an operator's platform would ask for one."""

import time
from typing import get_args

import click

from service.api.tokens import LIFETIME_MAX, Mode, TokenKeys
from service.cli.environment import config_or_exit, plainly, program
from service.cli.session import OPERATOR
from service.config import Config
from service.currencies import is_currency

_MINUTE = 60
_MODES = get_args(Mode)


@click.command("token")
@click.argument("player")
@click.option("--currency", default="USD", show_default=True, help="ISO 4217 code.")
@click.option("--operator", default=OPERATOR, show_default=True, help="Whose player.")
@click.option(
    "--minutes",
    type=click.IntRange(1, LIFETIME_MAX // _MINUTE),
    default=60,
    show_default=True,
    help="How long it is good.",
)
@click.option(
    "--mode",
    type=click.Choice(_MODES),
    default="demo",
    show_default=True,
    help="Play for real or demo money; each has rounds of its own.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print the token without the hint.")
def command(  # noqa: PLR0913 - one parameter an option
    *,
    player: str,
    currency: str,
    operator: str,
    minutes: int,
    mode: Mode,
    quiet: bool,
) -> None:
    """Print a token for PLAYER, signed with this installation's token key.

    Nothing else is on the standard output: TOKEN=$(upcard token ann) works.
    """
    config = config_or_exit()
    if not config.token_keys.exists():
        raise click.ClickException(
            f"{config.token_keys}: there is no such file; `{program()} serve` makes it"
        )
    try:
        token = signed(
            config,
            operator=operator,
            player=player,
            currency=currency,
            mode=mode,
            minutes=minutes,
        )
    except ValueError:
        raise click.UsageError(
            "PLAYER and --operator are 1 to 64 of A-Z a-z 0-9 _ . : - and --currency "
            "is three capitals"
        ) from None
    if not is_currency(currency):
        raise click.UsageError(f"--currency {currency}: there is no such currency")
    click.echo(token)
    if not quiet:
        click.echo(
            f"For {player} of {operator}, {currency}, {mode}; good for {minutes} "
            'minutes. Send it as: -H "Authorization: Bearer $TOKEN"',
            err=True,
        )


def signed(  # noqa: PLR0913 - one argument a claim, all by name
    config: Config,
    *,
    operator: str,
    player: str,
    currency: str,
    mode: Mode,
    minutes: int,
) -> str:
    """Return a token from now on, signed with this installation's key.

    Raises:
        ValueError: a claim is none that could be read again.
        ClickException: there is no good key.
    """
    with plainly():
        keys = TokenKeys.from_file(config.token_keys)
    return keys.issue(
        operator=operator,
        player=player,
        currency=currency,
        mode=mode,
        now=int(time.time()),
        lifetime=minutes * _MINUTE,
    )
