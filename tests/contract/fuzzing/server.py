"""The service as schemathesis meets it: gunicorn, a fresh database, seeded shoes."""

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import requests
from flask import Flask

from service.api.tokens import TokenKeys, account_of
from service.app import create_app
from service.chance import new_id
from service.cli.jackpot_files import load_shipped_jackpots
from service.cli.serve import load_shipped_tables
from service.config import Config
from service.embedded.keys import ensure_keys
from service.embedded.launch import launch
from service.operators import new_key
from service.sealing import KeyRing
from service.store.database import Database
from service.store.keys import add_key
from service.store.operators import OperatorRow, add_operator
from service.store.sessions import Launch, open_session
from tests.contract.fuzzing.people import Person, people_in, write_people
from tests.contract.fuzzing.shoes import SeededShuffler
from tests.support.postgres import quiet
from tests.support.waiting import until
from tests.tidy import ROOT

PEERS: Final = ("alice", "bob")
OPERATORS: Final = ("dev", "other")
LOG: Final = "service.log"
_DSN: Final = "UPCARD_FUZZING_DSN"
_FOLDER: Final = "UPCARD_FUZZING_FOLDER"
_AN_HOUR: Final = 3_600


class Served(NamedTuple):
    """A running service: address, database, tokens, who there is, what it logs."""

    url: str
    dsn: str
    auth: Path
    people: Path
    log: Path


def app() -> Flask:
    """Return the service of the database and folder that the environment names."""
    config = _config(os.environ[_DSN], Path(os.environ[_FOLDER]))
    return create_app(config, shuffler=SeededShuffler())


def _config(dsn: str, folder: Path) -> Config:
    return Config(
        environment="development",
        home=folder,
        database_url=dsn,
        migration_database_url=None,
        bind="127.0.0.1:0",
        workers=1,
        threads=4,
        token_keys=folder / "token-keys.json",
        shoe_keys=folder / "shoe-keys.json",
        seal_keys=folder / "seal-keys.json",
    )


@contextmanager
def served(dsn: str, folder: Path) -> Iterator[Served]:
    """Run the service on a fresh database; its files go into `folder`."""
    database = Database(dsn)
    load_shipped_tables(database, quiet)
    load_shipped_jackpots(database, quiet)
    database.close()
    config = _config(dsn, folder)
    ensure_keys((config.token_keys, config.shoe_keys), lambda: False)
    players = _launch(dsn, config)
    auth = _write_tokens(players, folder)
    write_people(folder, players, _add_operators(dsn, config))
    with socket.socket() as held:
        # Bound and not listening: it keeps the port free for gunicorn.
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        with _gunicorn(port, dsn, folder):
            until(lambda: _is_ready(url), f"the service at {url}")
            yield Served(url, dsn, auth, people_in(folder), folder / LOG)


@contextmanager
def _gunicorn(port: int, dsn: str, folder: Path) -> Iterator[None]:
    """Run the service in one process, so that its shoes come in one series."""
    command = [
        *(sys.executable, "-m", "gunicorn", "--no-control-socket", "--reuse-port"),
        *("--worker-class", "gthread", "--threads", "4", "--keep-alive", "60"),
        *(
            "--bind",
            f"127.0.0.1:{port}",
            "--log-level",
            "warning",
            "--chdir",
            str(ROOT),
        ),
        f"{__name__}:app()",
    ]
    environment = {**os.environ, _DSN: dsn, _FOLDER: str(folder)}
    with (folder / LOG).open("wb") as output:
        gunicorn = launch(
            command, signal.SIGTERM, output=output, environment=environment
        )
        try:
            yield
        finally:
            gunicorn.send_signal(signal.SIGTERM)
            gunicorn.wait()


def _is_ready(url: str) -> bool:
    try:
        return requests.get(f"{url}/readyz", timeout=5).ok
    except requests.RequestException:  # not there yet, or slow as it starts
        return False


def _add_operators(dsn: str, config: Config) -> list[tuple[str, str]]:
    """Add the operators; return the id and the secret of each one's key."""
    ring = KeyRing.from_file(config.shoe_keys)
    owner = Database(dsn, role=None)
    made = []
    for name in OPERATORS:
        add_operator(owner, OperatorRow(name, "ledger", None, sandbox=False))
        key, secret = new_key(ring, name, "request")
        add_key(owner, key)
        made.append((f"{name}/{key.key_id}", secret))
    owner.close()
    return made


def _launch(dsn: str, config: Config) -> list[Person]:
    """Launch the players, under names that no generated request hits upon."""
    keys = TokenKeys.from_file(config.token_keys)
    database = Database(dsn)
    people = []
    for name in PEERS:
        player = f"{name}-{new_id()}"
        launch = Launch(
            account=account_of(OPERATORS[0], player, "demo"),
            session_id=new_id(),
            operator=OPERATORS[0],
            player=player,
            currency="USD",
            mode="demo",
            tables=None,
            language="en",
            return_url=None,
            key=new_id(),
            request=bytes(32),
            seconds=_AN_HOUR,
        )
        session, _ = open_session(database, launch)
        token = keys.issue(
            operator=OPERATORS[0],
            player=player,
            currency="USD",
            mode="demo",
            now=int(time.time()),
            lifetime=_AN_HOUR,
            session=session.session_id,
        )
        people.append(Person(f"Bearer {token}", player, session.session_id))
    database.close()
    return people


def _write_tokens(people: list[Person], folder: Path) -> Path:
    """Write the players' tokens as a Web Fuzzing Commons authentication file."""
    users = [
        {
            "name": name,
            "fixedHeaders": [{"name": "Authorization", "value": person.authorization}],
        }
        for name, person in zip(PEERS, people, strict=True)
    ]
    path = folder / "auth.json"
    path.write_text(json.dumps({"auth": users}), "utf-8")
    return path
