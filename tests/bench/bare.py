"""The two statements of a hit and nothing else, by pgbench.

The statements are those of service/store/log.py, and the rows are as large as a real
hit's. Only the ids differ: pgbench can compute with whole numbers alone, so round 17
of account 17 has the id 00000000-0000-0000-0000-000000000017 in both places.
"""

import re
import subprocess
from collections.abc import Iterator, Sequence
from typing import Final

import psycopg

from service.store import log
from tests.bench.load import CONNECTIONS, BenchFault, CpuClock, Run
from tests.bench.site import Site

_ID: Final = "lpad(:id, 32, '0')::uuid"
_LOADED: Final = (_ID, _ID, _ID, _ID)
_APPENDED: Final = (
    *(_ID, _ID, ":ver", ":player", ":at", ":key", ":req", ":data", ":hash"),
)
_OPTIONS: Final = "-c role=upcard_service -c statement_timeout=5000"
_FIRST_RATE: Final = 2_000.0
_TPS: Final = re.compile(r"^tps = ([\d.]+) \(without", re.MULTILINE)
_DONE: Final = re.compile(
    r"^number of transactions actually processed: (\d+)/", re.MULTILINE
)
_HIT: Final = """
SELECT ver, player, at::text, key || '-', req::text, data::text, hash::text
FROM log WHERE account = %s AND round = %s AND ver = 2
"""
_COPY_LOG: Final = """
INSERT INTO log SELECT lpad(id::text, 32, '0')::uuid, lpad(id::text, 32, '0')::uuid,
    ver, player, at, key, req, data, hash
FROM log, generate_series(%s::int, %s::int) AS id
WHERE account = %s AND round = %s AND ver = 1
"""
_COPY_SHOE: Final = """
INSERT INTO shoe SELECT lpad(id::text, 32, '0')::uuid, lpad(id::text, 32, '0')::uuid,
    key_id, nonce, sealed, commitment
FROM shoe, generate_series(%s::int, %s::int) AS id
WHERE account = %s AND shoe = %s
"""


class Bare:
    """The figure: copies of one real round (account, id), each of them hit once."""

    def __init__(self, site: Site, example: tuple[str, str]) -> None:
        self._site = site
        self._example = example
        self._script = site.home.path / "hit.sql"
        self._script.write_text(script())
        self._copies = self._share = self._first = 0
        self._rate = _FIRST_RATE
        with psycopg.connect(site.server.dsn) as owner:
            found = owner.execute(_HIT, example).fetchone()
        assert found is not None, "the example is hit"
        names = ("ver", "player", "at", "key", "req", "data", "hash")
        self._values = dict(zip(names, found, strict=True))

    def prepare(self, seconds: int) -> None:
        """Make the copies for a run of about so long, judging by the last one."""
        self._share = int(self._rate * seconds / CONNECTIONS)
        first, self._copies = self._copies + 1, self._copies + self._share * CONNECTIONS
        with psycopg.connect(self._site.server.dsn) as owner:
            for copy in (_COPY_LOG, _COPY_SHOE):
                owner.execute(copy, (first, self._copies, *self._example))
        self._first = first

    def run(self, seconds: int) -> Run:
        """Hit every copy that was prepared. Raises BenchFault."""
        del seconds  # that is how many copies there are
        share = self._share
        defined = {**self._values, "first": self._first, "share": share, "n": 0}
        clock = CpuClock(self._site.server.pid)
        said = subprocess.run(
            [
                str(self._site.pgbench),
                *("-n", "-M", "prepared", f"-c{CONNECTIONS}", f"-t{share}"),
                *("-f", str(self._script)),
                *(f"-D{name}={value}" for name, value in defined.items()),
                *("-h", str(self._site.home.sockets), "-U", "upcard", "upcard"),
            ],
            env={"PGOPTIONS": _OPTIONS},
            capture_output=True,
            text=True,
            check=False,
        )
        rate, done = _TPS.search(said.stdout), _DONE.search(said.stdout)
        if said.returncode or not rate or not done:
            raise BenchFault(f"pgbench failed:\n{said.stdout}{said.stderr}")
        self._rate, count = float(rate[1]), int(done[1])
        return Run(count, self._rate, database_cpu=clock.each(count))


def script() -> str:
    r"""Return pgbench's script: the next id, then the statements of a hit.

    >>> script().splitlines()[0]
    '\\set id :first + :client_id * :share + :n'
    """
    load, append = log._LOAD, log._APPEND  # noqa: SLF001 - exactly what is measured
    return "\n".join(
        (
            "\\set id :first + :client_id * :share + :n",
            "\\set n :n + 1",
            f"{_filled(load, _LOADED)};",
            f"{_filled(append, _APPENDED)};",
        )
    )


def _filled(statement: str, values: Sequence[str]) -> str:
    """Put pgbench's words in the places of the values, which must be as many."""
    left: Iterator[str] = iter(values)
    filled = re.sub("%s", lambda _: next(left), statement).strip()
    assert next(left, None) is None, "the statement takes fewer values than it did"
    return filled
