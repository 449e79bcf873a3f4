"""A copy of the job that voids, to be killed: says each word that it notes.

Reads {dsn, shoe_keys, batch} from its input as JSON.
"""

import io
import json
import sys
from pathlib import Path
from typing import Any

import structlog

from service.catalog import Catalog
from service.chance import OsShuffler
from service.house import House
from service.jobs.ending import VOID
from service.jobs.job import run_once
from service.jobs.rounds import Rounds
from service.meters import Meters
from service.operators import OperatorKeys
from service.sealing import KeyRing
from service.store.database import Database
from service.wallet.calls import Calls
from service.wallet.wallets import Wallets


def work(asked: dict[str, Any]) -> None:
    """Void what is due, in batches of the size asked for."""
    log = structlog.wrap_logger(structlog.BytesLogger(io.BytesIO()))
    ring = KeyRing.from_file(Path(asked["shoe_keys"]))
    database = Database(asked["dsn"])
    wallets = Wallets(database, Calls(OperatorKeys(database, ring), log))
    parts = (database, Catalog(database), wallets, ring, OsShuffler())
    house = House(*parts, Meters(database))
    job = Rounds(house, VOID, 0, log, asked["batch"])
    run_once([job], log, lambda word: print(word, flush=True))  # noqa: T201 - it is what it says


if __name__ == "__main__":
    work(json.load(sys.stdin))
