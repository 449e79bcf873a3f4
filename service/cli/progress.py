"""How far a pass over all accounts is, on a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import Progress

_DIGITS: Final = 8
_ACCOUNTS: Final = 16**_DIGITS


@contextmanager
def accounts_progress() -> Iterator[Callable[[str], None]]:
    """Give what is told of each account, in order: their ids are spread evenly."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("accounts", total=_ACCOUNTS)
        yield lambda account: progress.update(
            task, completed=int(account[:_DIGITS], 16)
        )
