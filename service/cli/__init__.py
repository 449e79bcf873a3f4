"""The `upcard` command: one module a subcommand, loaded only when it is asked for."""

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Final

import click

from service import __version__

# Kept here and not read from the modules, so that `upcard --help` imports none.
SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "Play": {
        "serve": "Start the game server, with a PostgreSQL of its own unless given.",
        "play": "Play in this terminal, over the HTTP API of a running server.",
        "token": "Print a player's token for the development operator.",
    },
    "Keep": {
        "migrate": "Bring the database to the schema of this version.",
        "keys": "Make the key files that production asks for.",
        "tables": "Check table files, load them, list what is loaded.",
        "jackpots": "Show the jackpots, see that they add up, load their files.",
        "operators": "Add operators; their keys, and what each offers.",
        "gaming": "Stop and start all gaming, or one operator's.",
        "players": "Block and unblock a player, end his sessions.",
        "malfunction": "Take back all rounds of a table version in a span of time.",
        "events": "Show what was out of the ordinary, and who changed what.",
        "archive": "Move rounds that ended long ago to compressed files.",
        "jobs": "Deliver payouts to wallets, finish what was cut short.",
    },
    "Prove": {
        "verify": "Check a round, or all: shoe, cards, hash chain, payouts, seals.",
        "seals": "List and export the daily seals of the log, and check them.",
        "selfcheck": "Compare what is installed with a signed list.",
        "strategy": "Show how a table is played best, and what that returns.",
        "simulate": "Play rounds by the million through the real rules.",
        "lab": "Export random numbers and shoes for a test laboratory.",
        "reconcile": "Hold all money against the log, and list every difference.",
        "certify-wallet": "Hold an operator's wallet against the contract.",
        "doctor": "Look at the installation and say what is wrong and what to do.",
    },
}

EPILOG: Final = """\b
Examples:
  upcard serve                            everything, on 127.0.0.1:8000
  upcard play --table progressive-five    a table in this terminal
  upcard tables check my-table.toml       all faults of a table file at once
  upcard verify ROUND                     was the shoe honest, the pay right?

\b
Settings come from the environment: UPCARD_HOME, UPCARD_ENV, UPCARD_BIND,
UPCARD_WORKERS, UPCARD_THREADS, DATABASE_URL; `upcard doctor` shows them.
"""


class Commands(click.Group):
    """A group that knows its commands by name and imports one when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it so
        """Return the names in the order of the help."""
        return [name for section in SECTIONS.values() for name in section]

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click calls it so
        cmd_name: str,
    ) -> click.Command | None:
        """Return `command` of service/cli/<name>.py, or None for an unknown name."""
        if not any(cmd_name in section for section in SECTIONS.values()):
            return None
        name = cmd_name.replace("-", "_")
        module = importlib.import_module(f"{__name__}.{name}")
        command: click.Command = module.command
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click calls it so
        formatter: click.HelpFormatter,
    ) -> None:
        """Write the commands by section, without importing them."""
        for title, section in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(section.items()), col_spacing=4)


@click.group(
    cls=Commands,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
@click.version_option(__version__, "-V", "--version", message="upcard %(version)s")
def main() -> None:
    """Upcard, a game server for multi-hand blackjack.

    It holds the cards, the wagers and the truth about every round; each round can be
    proven afterwards, by anyone.
    """
