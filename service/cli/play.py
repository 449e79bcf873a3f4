"""`upcard play`: a few rounds in this terminal, over the HTTP API."""

import shlex
import time
from typing import Final

import click
from rich.console import Console
from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from service.audit import verify
from service.chance import new_id
from service.cli.environment import config_or_exit, program
from service.cli.listening import address_of
from service.cli.session import OPERATOR
from service.cli.token import signed
from service.config import Config
from service.terminal.api import Api
from service.terminal.screen import Screen
from service.terminal.session import START, Failed, Options, Session

_PLAYER: Final = "you"
_CURRENCY: Final = "USD"
_MINUTES: Final = 12 * 60
"""How long a token is good: longer than anybody should play."""


@click.command("play")
@click.option("--table", help="Which table; without it, choose from a list.")
@click.option("--url", help="Where the server is.  [default: that of UPCARD_BIND]")
@click.option("--player", default=_PLAYER, show_default=True, help="Your name.")
@click.option("--currency", default=_CURRENCY, show_default=True, help="ISO 4217 code.")
@click.option("--token", help="A player's token, instead of one for --player.")
@click.option("--wagers", help="What an Enter bets, such as '10' or '10 - 25'.")
@click.option(
    "--auto", is_flag=True, help="Play as the dealer must, without questions."
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="For --auto.",
)
def command(  # noqa: PLR0913 - one parameter an option
    *,
    table: str | None,
    url: str | None,
    player: str,
    currency: str,
    token: str | None,
    wagers: str | None,
    auto: bool,
    rounds: int,
) -> None:
    """Play in this terminal, over the HTTP API of a running server.

    It plays for demo money, as a player of the development operator, with a token
    that it makes from this installation's token key. A round that was left open goes
    on where it was.
    """
    config = config_or_exit()
    if url is not None and not _is_url(url):
        raise click.UsageError(f"{url} is no address of a server: http://HOST:PORT")
    mine = [] if player == _PLAYER else ["--player", player]
    mine += [] if currency == _CURRENCY else ["--currency", currency]
    mine += [] if url is None else ["--url", url]
    again = shlex.join([program(), "play", *mine])
    again += "" if token is None else ' --token "$TOKEN"'
    options = Options(table, currency.upper(), wagers, rounds if auto else None, again)
    api = Api(
        url or _url(config),
        token or _token(config, player, options.currency),
        new_id,
        time.sleep,
    )
    screen = Screen(Console(highlight=False), time.sleep)
    try:
        Session(api, screen, options, lambda proof: verify(proof).checks).run()
    except Failed as failure:
        raise click.ClickException(str(failure)) from None


def _is_url(text: str) -> bool:
    """Whether a server may be there."""
    try:
        parsed = parse_url(text)
    except LocationParseError:
        return False
    return parsed.scheme in {"http", "https"} and bool(parsed.host)


def _url(config: Config) -> str:
    """Return where the server of this installation listens."""
    _, place = address_of(config.bind)
    if isinstance(place, str):
        raise click.UsageError("the server listens on a socket file: add --url")
    host = f"[{place[0]}]" if ":" in place[0] else place[0]
    return f"http://{host}:{place[1]}"


def _token(config: Config, player: str, currency: str) -> str:
    """Make a token of this installation for the development operator's player."""
    if config.environment == "production":
        raise click.UsageError("in production, ask the operator for a token: --token")
    if not config.token_keys.exists():
        raise click.ClickException(
            f"There is no token key at {config.token_keys}: no server has run here "
            f"yet. {START}\nOr add --url and --token to play at another one."
        )
    try:
        return signed(
            config,
            operator=OPERATOR,
            player=player,
            currency=currency,
            mode="demo",
            minutes=_MINUTES,
        )
    except ValueError:
        raise click.UsageError(
            "--player is 1 to 64 of A-Z a-z 0-9 _ . : - and --currency is three letters"
        ) from None
