"""The law of money as a check for any test that has a database."""

from pathlib import Path

from service.archive.reading import logged_in
from service.reconcile import Report, reconcile
from service.store.database import Database
from service.store.reconciliation import one_moment


def reconciled(
    dsn: str, *, nothing_waits: bool = False, archive: Path | None = None
) -> Report:
    """Hold every row of a service's database against the others."""
    database = Database(dsn)
    try:
        with one_moment(database) as streams:
            return reconcile(
                streams, nothing_waits=nothing_waits, archived=logged_in(archive)
            )
    finally:
        database.close()


def assert_money_is_right(
    dsn: str, *, nothing_waits: bool = False, archive: Path | None = None
) -> Report:
    """Assert that every movement has its cause, every cause its movement."""
    report = reconciled(dsn, nothing_waits=nothing_waits, archive=archive)
    lines = "\n".join(map(str, report.differences))
    assert not report.differences, f"{len(report.differences)} differences:\n{lines}"
    return report
