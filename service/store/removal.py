"""What an operator has left behind, and its end. All of it needs the owner's role."""

from typing import Final

from service.store.database import Database

_TRACES: Final = {
    "rounds for real money": "round WHERE operator = %s AND mode = 'real'",
    "entries of real money": "ledger WHERE operator = %s AND mode = 'real'",
    "calls to its wallet": "transfer WHERE operator = %s",
    "demo rounds": "round WHERE operator = %s AND mode = 'demo'",
    "entries of demo money": "ledger WHERE operator = %s AND mode = 'demo'",
    "sessions": "session WHERE operator = %s",
    "limits of players": "player_limit WHERE operator = %s",
    "PINs of players": "player_pin WHERE operator = %s",
}
REAL: Final = tuple(_TRACES)[:3]
"""The traces of real money."""
# S608 sees SQL put together below: of this file's constants alone.
_FIND: Final = "SELECT " + ", ".join(  # noqa: S608 - see above
    f"EXISTS (SELECT FROM {rows})" for rows in _TRACES.values()
)
_OWN: Final = tuple(
    f"DELETE FROM {table} WHERE operator = %s"  # noqa: S608 - see above
    for table in (
        *("jackpot_meter", "offer", "stop", "request_nonce", "operator_key"),
        "operator",
    )
)
_END_KEYS: Final = """
UPDATE operator_key SET ends_at = now()
WHERE operator = %s AND (ends_at IS NULL OR ends_at > now())
"""
_END_SESSIONS: Final = """
UPDATE session SET ended_at = now()
WHERE operator = %s AND ended_at IS NULL AND expires_at > now()
"""
_RETIRE: Final = "UPDATE operator SET retired_at = now() WHERE operator = %s"


def traces(db: Database, operator: str) -> list[str]:
    """Say what there is of an operator that must stay, in words.

    Raises:
        DatabaseUnavailable: no answer.
    """
    (found,) = db.read(_FIND, [operator] * len(_TRACES))
    return [name for name, there in zip(_TRACES, found, strict=True) if there]


def delete_operator(db: Database, operator: str) -> None:
    """Delete an operator without traces, and what is its own. Call it in a transaction.

    Raises:
        DatabaseUnavailable: no answer.
    """
    for statement in _OWN:
        db.write(statement, (operator,))


def retire_operator(db: Database, operator: str) -> None:
    """End all keys and sessions of a sandbox for ever. Call it in a transaction.

    Raises:
        DatabaseUnavailable: no answer.
    """
    for statement in (_END_KEYS, _END_SESSIONS, _RETIRE):
        db.write(statement, (operator,))
