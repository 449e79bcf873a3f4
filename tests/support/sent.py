"""What a thread's connection to PostgreSQL sends, for counting statements."""

import re
import tempfile
from collections.abc import Callable

from service.store.database import Database


def wire(database: Database, job: Callable[[], object]) -> list[str]:
    """What one thread's connection sends to the server while `job` runs."""
    connection = database._held().connection  # noqa: SLF001 - no statement hides here
    with tempfile.TemporaryFile() as trace:
        connection.pgconn.trace(trace.fileno())
        try:
            job()
        finally:
            connection.pgconn.untrace()
        trace.seek(0)
        sent = trace.read().decode("utf-8", "replace")
    return re.findall(r"\tF\t\d+\t(\w+)", sent)
