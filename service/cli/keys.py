"""`upcard keys`: make the key files that production asks for."""

from pathlib import Path

import click

from service.cli.environment import plainly
from service.embedded.keys import make_key_file


@click.group("keys")
def command() -> None:
    """Make key files: for the players' tokens, the shoes, and the seals of the log.

    A key file is JSON: {"current": "k1", "keys": {"k1": 64 hex digits}}. To change
    keys, add one, make it current and restart; remove the old one when nothing made
    with it is needed any more.
    """


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
def new(file: Path) -> None:
    """Make a key FILE with one new key, readable by you alone.

    It is never written over one that is there. Keep a copy: without the shoe keys
    no open round can go on. Whoever has the seal keys can seal what was forged: keep
    them from whoever can write the database.
    """
    with plainly():
        make_key_file(file)
    click.echo(f"{file}: made, with one key")
