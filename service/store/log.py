"""The log: a command that moves no money is one `load` and one `append`.

One SELECT and one INSERT, each a transaction of its own: no BEGIN, no head row, no
lock. Two commands that read the same version write the same primary key, and one of
them has lost the race.
"""

from typing import Final

from service.sealing import SealedShoe
from service.store.database import Database
from service.store.errors import KeyUsed, LostRace
from service.store.instant import Instant
from service.store.rows import Loaded, LogRow
from service.store.statements import Row

# The last row, since NULL sorts last, is the clock, with the shoe if there is one.
_LOAD: Final = """
SELECT ver, player, at, key, req, data, hash, NULL AS commitment
FROM log WHERE account = %s AND round = %s
UNION ALL
SELECT NULL, key_id, clock.now, NULL, nonce, NULL, sealed, commitment
FROM (SELECT now() AS now) AS clock
LEFT JOIN shoe ON account = %s AND shoe = %s
ORDER BY ver
"""

_APPEND: Final = """
INSERT INTO log (account, round, ver, player, at, key, req, data, hash)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
"""

_FIND_KEY: Final = """
SELECT round, ver, player, at, key, req, data, hash
FROM log WHERE account = %s AND player = %s AND key = %s
"""

_TAKEN: Final = """
SELECT EXISTS (SELECT FROM log WHERE account = %s AND player = %s AND key = %s),
    EXISTS (SELECT FROM log WHERE account = %s AND round = %s AND ver = %s)
"""


def load(db: Database, account: str, round_id: str, shoe_id: str | None) -> Loaded:
    """Read a round's rows, a sealed shoe and the clock, with one SELECT.

    No rows: there is no such round in this account. `shoe_id` None reads no shoe.

    Raises:
        DatabaseUnavailable: no answer.
    """
    *rows, last = db.read(_LOAD, (account, round_id, account, shoe_id))
    _, key_id, now, _, nonce, _, sealed, commitment = last
    return Loaded(
        [LogRow(account, round_id, *row[:7]) for row in rows],
        None if key_id is None else SealedShoe(key_id, nonce, sealed, commitment),
        now,
    )


def append(db: Database, row: LogRow) -> None:
    """Write one command's row, with one INSERT.

    Raises:
        LostRace: another command has this version by now.
        KeyUsed: the player's key is in the log already.
        DatabaseUnavailable: no answer; it may have been written.
    """
    db.write(_APPEND, log_values(row))


def find_key(db: Database, account: str, player: str, key: str) -> LogRow | None:
    """Find the command that has this idempotency key.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_FIND_KEY, (account, player, key))
    return LogRow(account, *found[0]) if found else None


def refuse_late(db: Database, row: LogRow) -> None:
    """Raise what `append` would, of a row that can't be written anyway.

    Raises:
        LostRace, KeyUsed: as there.
        DatabaseUnavailable: no answer.
    """
    keyed = (row.account, row.player, row.key)
    ((key_used, version_taken),) = db.read(_TAKEN, (*keyed, *row[:3]))
    if key_used:
        raise KeyUsed
    if version_taken:
        raise LostRace


def log_values(row: LogRow) -> Row:
    """Return what a statement needs to insert `row`, in the order of its columns."""
    return (*row[:4], Instant(row.at), row.key, row.req, row.data.decode(), row.hash)
