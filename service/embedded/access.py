"""The database for a command: one's own, the one that runs, or one started for it."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final, NamedTuple

import psycopg

from service.config import Config
from service.embedded.errors import EmbeddedFault
from service.embedded.home import Busy, Home
from service.embedded.server import Server, dsn

_PATIENCE: Final = 30.0
"""Seconds for a server that another process is starting."""
_PAUSE: Final = 0.1


class Urls(NamedTuple):
    """Where the database is: for the service, and for its owner, who migrates."""

    service: str
    owner: str


@contextmanager
def database_urls(config: Config, say: Callable[[str], None]) -> Iterator[Urls]:
    """Give the database's URLs; the database answers as long as the block runs.

    That of DATABASE_URL, or the embedded one: if `upcard serve` runs, it is up, and
    if not it is started for this block alone.

    Raises:
        EmbeddedFault: there is none to be had.
    """
    if (own := own_urls(config)) is not None:
        yield own
        return
    home = Home(config.home)
    with ExitStack() as stack:
        try:
            stack.enter_context(home.locked())
        except Busy as busy:
            url = _answering(home, busy)
        else:
            server = Server(home, say)
            stack.callback(server.stop)
            server.start()
            url = server.dsn
        yield Urls(url, url)


def own_urls(config: Config) -> Urls | None:
    """Return the URLs of DATABASE_URL, None without it."""
    if config.database_url is None:
        return None
    return Urls(
        config.database_url, config.migration_database_url or config.database_url
    )


def _answering(home: Home, busy: Busy) -> str:
    """Wait until the server that another process runs answers."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            psycopg.connect(dsn(home)).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise EmbeddedFault(f"{busy}; its PostgreSQL does not answer") from None
            time.sleep(_PAUSE)
        else:
            return dsn(home)
