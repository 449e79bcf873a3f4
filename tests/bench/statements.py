"""How many SQL statements a request costs, counted by PostgreSQL itself."""

import http.client
from collections.abc import Sequence
from typing import Final

import psycopg

from tests.bench.load import BenchFault
from tests.bench.site import Gunicorn, Site

# One text is several entries when values of other types, such as NULL, come with it.
_COUNTS: Final = """
SELECT sum(calls)::int, query FROM pg_stat_statements
WHERE userid = 'upcard_service'::regrole GROUP BY query HAVING sum(calls) >= %s
ORDER BY query
"""


def statements_of(
    site: Site, gunicorn: Gunicorn, requests: Sequence[bytes]
) -> tuple[str, ...]:
    """Send the requests and return the statements that each of them needed.

    Statements that fewer than all needed are left out: now and then a worker reads
    the tables anew, for all requests of five seconds.
    """
    with psycopg.connect(site.server.dsn, autocommit=True) as owner:
        owner.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        owner.execute("SELECT pg_stat_statements_reset()")
        for request in requests:
            _send(gunicorn.port, request)
        rows = owner.execute(_COUNTS, [len(requests)]).fetchall()
    return tuple(
        " ".join(query.split())
        for calls, query in rows
        for _ in range(calls // len(requests))
    )


def _send(port: int, request: bytes) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.connect()
    connection.sock.sendall(request)
    answer = http.client.HTTPResponse(connection.sock)
    answer.begin()
    if answer.status >= 300:
        raise BenchFault(f"{answer.status} {answer.read()[:500]!r}")
    connection.close()
