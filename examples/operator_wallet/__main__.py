"""Run the wallet: `python -m examples.operator_wallet --player ann:EUR:100000`."""

import os
import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from flask import Flask
from gunicorn.app.base import BaseApplication

from examples.operator_wallet.app import create_app
from examples.operator_wallet.book import Book, Player
from examples.operator_wallet.faults import Faults
from service.config import default_home
from service.embedded.home import Home
from service.embedded.server import Server

_PLAYER = re.compile(r"([A-Za-z0-9_.-]{1,64}):([A-Z]{3}):(\d{1,15})(?::(\d{1,15}))?")
HOME = default_home().with_name("operator-wallet")


class _Server(BaseApplication):
    """Serves one application in one process with threads."""

    def __init__(self, app: Flask, listen: str) -> None:
        self._app = app
        self._listen = listen
        super().__init__()

    def load_config(self) -> None:
        settings: dict[str, Any] = {
            "bind": self._listen,
            "worker_class": "gthread",
            "threads": 32,
            "keepalive": 30,
            "control_socket_disable": True,
            "loglevel": "warning",
        }
        for name, value in settings.items():
            self.cfg.set(name, value)

    def load(self) -> Any:  # noqa: ANN401 - a WSGI application, said in gunicorn's way
        return self._app


def _players(
    _: click.Context, __: click.Parameter, texts: Sequence[str]
) -> list[Player]:
    players = []
    for text in texts:
        found = _PLAYER.fullmatch(text)
        if found is None:
            raise click.BadParameter(f"{text!r} is not NAME:CURRENCY:CASH[:BONUS]")
        name, currency, cash, bonus = found.groups()
        players.append(Player(name, currency, int(cash), int(bonus or 0)))
    return players


@click.command()
@click.option("--listen", default="127.0.0.1:8100", show_default=True)
@click.option("--database", help="A PostgreSQL's URL; else one of its own is started.")
@click.option("--home", type=Path, default=HOME, help="Where that one keeps its data.")
@click.option(
    "--player",
    "players",
    multiple=True,
    callback=_players,
    help="NAME:CURRENCY:CASH or NAME:CURRENCY:CASH:BONUS, in minor units.",
)
@click.option("--faults", is_flag=True, help="Let tests arm faults at POST /faults.")
def main(
    listen: str,
    database: str | None,
    home: Path,
    players: list[Player],
    *,
    faults: bool,
) -> None:
    """Keep players' money as docs/wallet.yaml asks.

    UPCARD_WALLET_KEY holds the secret of the wallet key that `upcard operators add`
    showed; two with a comma between them while a key is changed.
    """
    secrets = [key for key in os.environ.get("UPCARD_WALLET_KEY", "").split(",") if key]
    if not secrets:
        raise click.UsageError("set UPCARD_WALLET_KEY")
    with ExitStack() as stack:
        book = Book(database or _own_database(stack, home))
        book.prepare()
        for player in players:
            book.put_player(player)
        app = create_app(book, secrets, Faults() if faults else None)
        click.echo(f"the wallet listens on http://{listen}")
        _Server(app, listen).run()


def _own_database(stack: ExitStack, home: Path) -> str:
    """Start a PostgreSQL as Upcard starts its own: the one thing shared with it."""
    server = Server(Home(home), click.echo)
    stack.enter_context(server.home.locked())
    stack.callback(server.stop)
    server.start()
    return server.dsn


if __name__ == "__main__":
    main()
