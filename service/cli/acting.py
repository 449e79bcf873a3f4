"""Who works at this terminal, and why he changes something: for the audit."""

import os
import pwd
from typing import Final

import click

from service.changes import Actor

MOST: Final = 200
"""Letters of a reason, here as in the API."""


def user() -> str:
    """Return the name of the operating system's user."""
    number = os.getuid()
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:  # in a container there may be a number alone
        return str(number)


def actor(why: str | None = None) -> Actor:
    """Return who changes something here.

    Raises:
        click.UsageError: the reason is too long, or more than one line.
    """
    if why is not None and not (0 < len(why) <= MOST and why.isprintable()):
        raise click.UsageError(f"--why is 1 to {MOST} letters on one line")
    return Actor(f"cli:{user()}", why)
