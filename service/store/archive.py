"""Rounds that leave the database: which are next, what is kept of them, and the end.

All but `archived_in` and `archive_files` is for the role `upcard_archiver`, the only
one that may delete from the log. The ledger and the projection stay.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from service.sealing import SealedShoe
from service.store.database import Database
from service.store.instant import Instant
from service.store.rows import LogRow

# What still waits for a wallet is told from what came to nothing by the log: it stays.
# So does what no seal covers yet, where there are seals: in a file no seal finds it.
_MAY_LEAVE: Final = """
    archived_in IS NULL AND NOT EXISTS (
        SELECT FROM transfer
        WHERE transfer.account = round.account AND transfer.round = round.round
            AND transfer.status = 'requested'
    ) AND NOT EXISTS (
        SELECT FROM log
        WHERE log.account = round.log_account AND log.round = round.round
            AND log.tx >= (SELECT before FROM seal ORDER BY seal DESC LIMIT 1)
    )
"""

_OLDEST: Final = f"""
SELECT closed_at FROM round WHERE closed_at < %s AND {_MAY_LEAVE}
ORDER BY closed_at LIMIT 1
"""  # noqa: S608 - of a constant

_COUNT: Final = f"""
SELECT count(*) FROM round WHERE closed_at < %s AND {_MAY_LEAVE}
"""  # noqa: S608 - as above

_BATCH: Final = f"""
SELECT account, round, log_account FROM round
WHERE closed_at >= %s AND closed_at < %s AND {_MAY_LEAVE}
ORDER BY closed_at, account, round LIMIT %s
"""  # noqa: S608 - as above

_LOGS: Final = """
SELECT log.account, log.round, ver, player, at, key, req, data, hash
FROM unnest(%s::uuid[], %s::uuid[]) AS chosen (account, round)
JOIN log USING (account, round) ORDER BY log.round, ver
"""

_SHOES: Final = """
SELECT shoe.shoe, key_id, nonce, sealed, commitment
FROM unnest(%s::uuid[], %s::uuid[]) AS chosen (account, shoe)
JOIN shoe USING (account, shoe)
"""

_LOCK: Final = f"""
SELECT round.round FROM unnest(%s::uuid[], %s::uuid[]) AS chosen (account, round)
JOIN round USING (account, round) WHERE {_MAY_LEAVE} FOR UPDATE OF round
"""  # noqa: S608 - as above

_DELETE_LOGS: Final = """
DELETE FROM log USING unnest(%s::uuid[], %s::uuid[]) AS chosen (account, round)
WHERE log.account = chosen.account AND log.round = chosen.round
"""

_DELETE_SHOES: Final = """
DELETE FROM shoe USING unnest(%s::uuid[], %s::uuid[]) AS chosen (account, shoe)
WHERE shoe.account = chosen.account AND shoe.shoe = chosen.shoe
"""

_MARK: Final = """
UPDATE round SET archived_in = %s
FROM unnest(%s::uuid[], %s::uuid[]) AS chosen (account, round)
WHERE round.account = chosen.account AND round.round = chosen.round
"""

_ADD: Final = """
INSERT INTO archive_file (file, digest, rounds, log_rows, shoes)
VALUES (%s, %s, %s, %s, %s)
"""

_FIND: Final = "SELECT archived_in FROM round WHERE account = %s AND round = %s"

_FILES: Final = """
SELECT file, digest, rounds, log_rows, shoes FROM archive_file ORDER BY file
"""


class Ended(NamedTuple):
    """A round that may leave."""

    account: str
    """Its player's."""
    round_id: str
    log_account: str


class ArchiveFile(NamedTuple):
    """A file that rounds have gone to."""

    name: str
    digest: str
    """Hex SHA-256 of its bytes."""
    rounds: int
    rows: int
    shoes: int


class ArchiveRaced(Exception):
    """Rounds are no more as they were read: another archiver's, or one was added to."""


def oldest_ended(db: Database, before: int) -> int | None:
    """Return when the first round ended that may leave, if before a time.

    Raises:
        DatabaseUnavailable: no answer.
    """
    with db.patiently():
        found = db.read(_OLDEST, (Instant(before),))
    return found[0][0] if found else None


def count_ended(db: Database, before: int) -> int:
    """Count the rounds that ended before a time and may leave.

    Raises:
        DatabaseUnavailable: no answer.
    """
    with db.patiently():
        ((count,),) = db.read(_COUNT, (Instant(before),))
    return int(count)


def next_ended(db: Database, begin: int, end: int, limit: int) -> list[Ended]:
    """List rounds that ended in a span of time and may leave, oldest first.

    Raises:
        DatabaseUnavailable: no answer.
    """
    span = (Instant(begin), Instant(end))
    with db.patiently():
        return [Ended(*row) for row in db.read(_BATCH, (*span, limit))]


def logs_of(db: Database, rounds: Sequence[Ended]) -> list[LogRow]:
    """Return the log of all these rounds, by round and version.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [LogRow(*row) for row in db.read(_LOGS, _logs(rounds))]


def shoes_of(db: Database, rounds: Sequence[Ended]) -> dict[str, SealedShoe]:
    """Return the shoes that these rounds had to themselves, by their id, the round's.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_SHOES, _logs(rounds))
    return {shoe_id: SealedShoe(*sealed) for shoe_id, *sealed in found}


def drop(db: Database, rounds: Sequence[Ended], file: ArchiveFile) -> None:
    """Delete the logs and shoes of rounds that are in a file, all of them or none.

    Raises:
        ArchiveRaced: the file has not all these rounds, or there is not exactly as much
            to delete as it has.
        DatabaseUnavailable: no answer; it may have been done.
    """
    players = [[one.account for one in rounds], [one.round_id for one in rounds]]
    logs = _logs(rounds)
    with db.patiently():
        locked = len(db.read(_LOCK, players))
        # What another archiver took before it was read here is in no file of ours.
        if not locked == len(rounds) == file.rounds:
            raise ArchiveRaced
        deleted = (db.write(_DELETE_LOGS, logs), db.write(_DELETE_SHOES, logs))
        if deleted != (file.rows, file.shoes):
            raise ArchiveRaced
        db.write(_MARK, (file.name, *players))
        db.write(_ADD, file)


def archived_in(db: Database, account: str, round_id: str) -> str | None:
    """Return the file that a round's log is in; None if there is no such round there.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_FIND, (account, round_id))
    return found[0][0] if found else None


def archive_files(db: Database) -> list[ArchiveFile]:
    """List the files that rounds have gone to, by name, which begins with the day.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [ArchiveFile(*row) for row in db.read(_FILES)]


def _logs(rounds: Sequence[Ended]) -> tuple[list[str], list[str]]:
    return [one.log_account for one in rounds], [one.round_id for one in rounds]
