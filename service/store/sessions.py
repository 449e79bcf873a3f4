"""Sessions: an operator's launches of his players."""

from typing import Final, NamedTuple

from service.store.database import Database

_COLUMNS: Final = """
account, session, operator, player, currency, mode, tables, language, return_url,
request, opened_at, expires_at, ended_at
"""

# S608 sees SQL put together: of constants of this file alone.
_OPEN: Final = f"""
INSERT INTO session (account, session, operator, player, currency, mode, tables,
    language, return_url, key, request, expires_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, now() + make_interval(secs => %s))
ON CONFLICT (account, key) DO NOTHING
RETURNING {_COLUMNS}
"""  # noqa: S608 - see above

_KEYED: Final = f"""
SELECT {_COLUMNS} FROM session WHERE account = %s AND key = %s
"""  # noqa: S608 - see above

_FIND: Final = f"""
SELECT clock.now, {_COLUMNS} FROM (SELECT now() AS now) AS clock
LEFT JOIN session ON account = %s AND session = %s
"""  # noqa: S608 - see above

_END: Final = """
UPDATE session SET ended_at = coalesce(ended_at, now())
WHERE operator = %s AND session = %s
"""

_END_ALL: Final = """
UPDATE session SET ended_at = now()
WHERE operator = %s AND player = %s AND ended_at IS NULL AND expires_at > now()
"""


class Launch(NamedTuple):
    """What an operator asks for when he sends a player here."""

    account: str
    session_id: str
    operator: str
    player: str
    currency: str
    mode: str
    tables: list[str] | None
    """The only tables of the session; None is all."""
    language: str
    return_url: str | None
    key: str
    """The Idempotency-Key, of this player in this account."""
    request: bytes
    """The request's digest."""
    seconds: int
    """How long it may last."""


class Session(NamedTuple):
    """A launch as it is kept; times in microseconds since 1970 UTC."""

    account: str
    session_id: str
    operator: str
    player: str
    currency: str
    mode: str
    tables: list[str] | None
    language: str
    return_url: str | None
    request: bytes
    opened_at: int
    expires_at: int
    ended_at: int | None

    def is_over(self, now: int) -> bool:
        """Tell whether it was ended, by its operator or by time."""
        return self.ended_at is not None or self.expires_at <= now


def open_session(db: Database, launch: Launch) -> tuple[Session, bool]:
    """Open a session once; tell whether its key had opened one before.

    Raises:
        DatabaseUnavailable: no answer; the same key finds out.
    """
    made = db.change(_OPEN, launch)
    if made:
        return Session(*made[0]), False
    (kept,) = db.read(_KEYED, (launch.account, launch.key))
    return Session(*kept), True


def find_session(
    db: Database, account: str, session_id: str | None
) -> tuple[int, Session | None]:
    """Return the database's time, and a session of the account if there is that one.

    Raises:
        DatabaseUnavailable: no answer.
    """
    ((now, *found),) = db.read(_FIND, (account, session_id))
    return now, Session(*found) if found[0] is not None else None


def end_session(db: Database, operator: str, session_id: str) -> bool:
    """End a session, if it has not ended; False if the operator has none such.

    Raises:
        DatabaseUnavailable: no answer; it may have ended.
    """
    return db.write(_END, (operator, session_id)) == 1


def end_sessions(db: Database, operator: str, player: str) -> int:
    """End all of a player's sessions; return how many there were.

    Raises:
        DatabaseUnavailable: no answer; they may have ended.
    """
    return db.write(_END_ALL, (operator, player))
