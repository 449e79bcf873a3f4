"""What the commands share: the configuration, and errors told without a traceback."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from service.config import Config, ConfigError
from service.embedded.errors import EmbeddedFault
from service.keyfile import KeyFault
from service.store.errors import StoreError
from service.tablefile import TableFault


def config_or_exit() -> Config:
    """Read the configuration; say every fault of it and end, if there is one."""
    try:
        return Config.from_environment()
    except ConfigError as error:
        lines = "\n".join(f"  {fault}" for fault in error.faults)
        raise click.ClickException(f"the environment is wrong:\n{lines}") from None


@contextmanager
def plainly() -> Iterator[None]:
    """Turn what an operator can mend into a plain message."""
    try:
        yield
    except (EmbeddedFault, KeyFault, StoreError, TableFault) as error:
        raise click.ClickException(str(error)) from error
