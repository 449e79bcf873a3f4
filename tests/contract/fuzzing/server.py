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

from service.api.tokens import TokenKeys
from service.app import create_app
from service.cli.serve import load_shipped_tables
from service.config import Config
from service.embedded.keys import ensure_keys
from service.embedded.launch import launch
from service.store.database import Database
from tests.contract.fuzzing.shoes import SeededShuffler
from tests.support.postgres import quiet
from tests.support.waiting import until
from tests.tidy import ROOT

PEERS: Final = ("alice", "bob")
LOG: Final = "service.log"
_DSN: Final = "UPCARD_FUZZING_DSN"
_FOLDER: Final = "UPCARD_FUZZING_FOLDER"
_AN_HOUR: Final = 3_600


class Served(NamedTuple):
    """A running service: its address, its players' tokens, what it logs."""

    url: str
    auth: Path
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
    )


@contextmanager
def served(dsn: str, folder: Path) -> Iterator[Served]:
    """Run the service on a fresh database; its files go into `folder`."""
    database = Database(dsn)
    load_shipped_tables(database, quiet)
    database.close()
    config = _config(dsn, folder)
    ensure_keys((config.token_keys, config.shoe_keys), lambda: False)
    auth = _write_tokens(TokenKeys.from_file(config.token_keys), folder)
    with socket.socket() as held:
        # Bound and not listening: it keeps the port free for gunicorn.
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        with _gunicorn(port, dsn, folder):
            until(lambda: _is_ready(url), f"the service at {url}")
            yield Served(url, auth, folder / LOG)


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
    except requests.ConnectionError:
        return False


def _write_tokens(keys: TokenKeys, folder: Path) -> Path:
    """Write the players' tokens as a Web Fuzzing Commons authentication file."""
    users = []
    for name in PEERS:
        token = keys.issue(
            operator="dev",
            player=name,
            currency="USD",
            mode="demo",
            now=int(time.time()),
            lifetime=_AN_HOUR,
        )
        header = {"name": "Authorization", "value": f"Bearer {token}"}
        users.append({"name": name, "fixedHeaders": [header]})
    path = folder / "auth.json"
    path.write_text(json.dumps({"auth": users}), "utf-8")
    return path
