"""A whole service to talk to: the app on a real database, with a rigged shoe."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, Final, cast
from wsgiref.types import StartResponse, WSGIEnvironment

import psycopg
from flask import Flask
from werkzeug.exceptions import HTTPException

from service.api.contract import NO_BODY
from service.api.endpoint import Api
from service.api.tokens import account_of
from service.app import create_app
from service.chance import new_id
from service.cli.jackpot_files import load_shipped_jackpots
from service.config import Config
from service.keyfile import KeyFile
from service.operators import new_key
from service.rules.cards import Card, deck_order
from service.sealing import KeyRing
from service.store.database import Database
from service.store.keys import add_key
from service.store.operators import OperatorRow, add_operator
from service.store.rows import Holder
from service.store.tables import save_table_version
from service.tablefile import parse_table, shipped_tables
from service.wallet.cash import Cash, move_cash
from service.wallet.schedule import PUBLISHED, Times
from tests.api.operator import Key, Operator
from tests.api.player import Player
from tests.rules.rig import shoe_of
from tests.support.postgres import quiet

SALT: Final = bytes(range(32))
PLENTY: Final = 10**12
OPERATORS: Final[dict[str, tuple[str, str | None, bool]]] = {
    "dev": ("ledger", None, False),
    "other": ("ledger", None, False),
    "outside": ("seamless", "http://127.0.0.1:9/nobody-answers", False),
    "sandbox": ("ledger", None, True),
    "reports": ("ledger", None, False),
}
"""By name: who keeps the money, where, and whether it is a sandbox."""


class Rig:
    """A shuffler that deals what it is told, and else always the same shoe."""

    name: Final = "rigged"

    def __init__(self) -> None:
        self._cards: tuple[Card, ...] = ()

    def stack(self, story: str) -> None:
        """Lay the cards of a story ("P A,K | U 9 | H 7 | 5,6") on top from now on."""
        self._cards = shoe_of(story).cards

    def lay(self, cards: Iterable[Card]) -> None:
        """Lay these cards on top from now on."""
        self._cards = tuple(cards)

    def order(self, decks: int) -> tuple[Card, ...]:
        rest = Counter(deck_order(decks))
        rest.subtract(self._cards)
        assert min(rest.values()) >= 0, "a story has more of a card than the shoe"
        below = list(rest.elements())
        random.Random(7).shuffle(below)  # noqa: S311 - the same shoe every time
        return (*self._cards, *below)

    def salt(self) -> bytes:
        return SALT


class Witness:
    """Sees every answer of an app: holds it against the contract and counts it."""

    said: ClassVar[set[tuple[str, str]]] = set()
    """Codes of refusals, with the form of what each said; of all apps together."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.api: Api = app.extensions["upcard"]
        self.seen: set[tuple[str, int]] = set()
        self.faults: list[str] = []
        self._inner = app.wsgi_app

    def __call__(
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        told: list[tuple[str, list[tuple[str, str]]]] = []

        def note(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:  # noqa: ANN401 - WSGI
            told.append((status, headers))
            return start_response(status, headers, *rest)

        method = environ["REQUEST_METHOD"]
        chunks = list(self._inner(environ, cast("StartResponse", note)))
        (status, headers) = told[-1]
        self._look(self._operation(environ), method, int(status[:3]), headers, chunks)
        return chunks

    def _operation(self, environ: WSGIEnvironment) -> str | None:
        try:
            return str(self.app.url_map.bind_to_environ(environ).match()[0])
        except HTTPException:
            return None

    def _look(
        self,
        operation: str | None,
        method: str,
        status: int,
        headers: list[tuple[str, str]],
        chunks: list[bytes],
    ) -> None:
        body = b"".join(chunks)
        if method == "HEAD":
            return
        if operation is not None:
            self.seen.add((operation, status))
        value = _value(body, dict(headers)) if body else NO_BODY
        if isinstance(value, dict) and "code" in value:
            self.said.add((value["code"], form_of(value["detail"])))
        found = self.api.contract.check_response(
            operation if status != 500 else None, status, dict(headers), value
        )
        self.faults += [f"{operation} {status} {fault}" for fault in found]


def form_of(detail: str) -> str:
    """Return a sentence without its numbers, amounts, hands, tables and currencies.

    >>> form_of("Table classic-three takes EUR, USD, not JPY; 2.00 EUR is too much.")
    'Table # takes # not # is too much.'
    """
    return re.sub(r"(\S*(\d|[a-z]-[a-z]|[A-Z]{3}\b)\S* ?)+", "# ", detail).rstrip()


def _value(body: bytes, headers: dict[str, str]) -> Any:  # noqa: ANN401 - JSON
    """Return what a body says: JSON, or the text that it is."""
    if headers["Content-Type"].startswith("text/"):
        return body.decode()
    return json.loads(body)


class Site:
    """The app with all that a test needs to look behind it."""

    def __init__(
        self,
        dsn: str,
        folder: Path,
        tables: Iterable[tuple[str, str]] = (),
        times: Times = PUBLISHED,
    ) -> None:
        self.dsn = dsn
        self.rig = Rig()
        self.config = config_of(dsn, folder)
        owner = Database(dsn, role=None)
        for source, text in (*shipped_tables(), *tables):
            rules = parse_table(text, source)
            save_table_version(owner, rules.table_id, rules.version, text)
        load_shipped_jackpots(owner, quiet)
        self.bank = owner
        self._owner = psycopg.connect(dsn, autocommit=True)
        keys = [
            self._operator(owner, OperatorRow(name, *wallet))
            for name, wallet in OPERATORS.items()
        ]
        self.app = create_app(self.config, shuffler=self.rig, times=times)
        self.api: Api = self.app.extensions["upcard"]
        self.operators = {key.operator: Operator(self.app, key) for key in keys}
        self.witness = Witness(self.app)
        self.app.wsgi_app = self.witness  # type: ignore[method-assign]  # as Flask says

    def player(self, name: str | None = None, currency: str = "USD") -> Player:
        """Give a player with money; without a name one that nobody has met."""
        player = Player(self.app, name or f"p-{new_id()}", currency)
        account = account_of("dev", player.name, "real")
        holder = Holder(account, "dev", player.name, "real")
        cash = Cash(holder, currency, "deposit", PLENTY, f"plenty-{new_id()}")
        move_cash(self.bank, cash)
        return player

    def _operator(self, owner: Database, row: OperatorRow) -> Key:
        add_operator(owner, row)
        ring = KeyRing.from_file(self.config.shoe_keys)
        key, secret = new_key(ring, row.operator, "request")
        add_key(owner, key)
        return Key(row.operator, key.key_id, secret)

    def log_rows(self) -> int:
        """Count the accepted commands of everybody."""
        row = self._owner.execute("SELECT count(*) FROM log").fetchone()
        assert row is not None
        return int(row[0])

    def owner(self, statement: str) -> list[Any]:
        """Run a statement as the owner of the database."""
        cursor = self._owner.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        self.api.database.close()
        self.bank.close()
        self._owner.close()


def config_of(dsn: str, folder: Path, **settings: Any) -> Config:  # noqa: ANN401 - fields
    """Return the configuration of a service with key files of its own."""
    for name in ("token-keys", "shoe-keys"):
        path = folder / f"{name}.json"
        if not path.exists():
            path.write_text(KeyFile.fresh_text("k1"))
    chosen: dict[str, Any] = {
        "environment": "development",
        "home": folder,
        "database_url": dsn,
        "migration_database_url": None,
        "bind": "127.0.0.1:8000",
        "workers": 1,
        "threads": 8,
        "token_keys": folder / "token-keys.json",
        "shoe_keys": folder / "shoe-keys.json",
        "seal_keys": folder / "seal-keys.json",
        **settings,
    }
    return Config(**chosen)
