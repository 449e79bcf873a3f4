"""Whom a command was told to look at."""

import click

from service.store.database import Database
from service.store.operators import all_operators


def check_operator(database: Database, name: str | None) -> None:
    """End plainly when an operator was named that is not there, nor ever was.

    Raises click.ClickException or DatabaseUnavailable.
    """
    known = {row.operator for row in all_operators(database)}
    if name is not None and name not in known:
        raise click.ClickException(f"there is no operator {name}")
