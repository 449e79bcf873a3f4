"""Players' PINs, their hashes sealed, and how often somebody tried them.

A try is counted before the PIN is looked at and taken back when it was right: however
many try at once, and through however many processes, no more than so many can be wrong.
"""

from typing import Final, NamedTuple

from service.sealing import SealedSecret
from service.store.database import Database

_SET: Final = """
INSERT INTO player_pin (operator, player, ring_key, nonce, sealed)
VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (operator, player) DO UPDATE SET
    ring_key = excluded.ring_key, nonce = excluded.nonce, sealed = excluded.sealed,
    set_at = now(), tries = 0, locked_until = NULL
"""

_REMOVE: Final = "DELETE FROM player_pin WHERE operator = %s AND player = %s"

_HELD: Final = """
SELECT 1 FROM player_pin WHERE operator = %s AND player = %s FOR UPDATE
"""

_TRY: Final = """
UPDATE player_pin SET
    tries = CASE WHEN locked_until IS NULL THEN tries ELSE 0 END + 1,
    locked_until = CASE
        WHEN CASE WHEN locked_until IS NULL THEN tries ELSE 0 END + 1 >= %s
        THEN now() + %s * interval '1 second'
    END
WHERE operator = %s AND player = %s AND (locked_until IS NULL OR locked_until <= now())
RETURNING tries, ring_key, nonce, sealed
"""

_LOCKED: Final = """
SELECT ceil(extract(epoch FROM locked_until - now()))::integer
FROM player_pin WHERE operator = %s AND player = %s
"""

# Not if the PIN was set anew meanwhile: no two seals have one nonce.
_RIGHT: Final = """
UPDATE player_pin SET tries = 0, locked_until = NULL
WHERE operator = %s AND player = %s AND nonce = %s
"""


class PinTry(NamedTuple):
    """A try that was counted: the how manieth it is, and the hash to compare with."""

    number: int
    secret: SealedSecret


def hold_pin(db: Database, operator: str, player: str) -> bool:
    """Tell whether a player has a PIN; if so it stays until the transaction ends.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return bool(db.read(_HELD, (operator, player)))


def set_pin(db: Database, operator: str, player: str, secret: SealedSecret) -> None:
    """Keep the hash of a player's new PIN; nobody has tried it yet.

    Raises:
        DatabaseUnavailable: no answer; it may have been kept.
    """
    db.write(_SET, (operator, player, *secret))


def remove_pin(db: Database, operator: str, player: str) -> None:
    """Forget a player's PIN, if he has one.

    Raises:
        DatabaseUnavailable: no answer; it may be forgotten.
    """
    db.write(_REMOVE, (operator, player))


def begin_try(
    db: Database, operator: str, player: str, most: int, seconds: int
) -> PinTry | None:
    """Count a try; with the `most`th the PIN is locked for `seconds`.

    None: it is locked, or there is no PIN; see `locked_for`.

    Raises:
        DatabaseUnavailable: no answer; it may have been counted.
    """
    found = db.change(_TRY, (most, seconds, operator, player))
    return PinTry(found[0][0], SealedSecret(*found[0][1:])) if found else None


def locked_for(db: Database, operator: str, player: str) -> int | None:
    """Return for how many seconds a PIN is still locked; None without a PIN.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_LOCKED, (operator, player))
    return max(1, found[0][0] or 1) if found else None


def try_was_right(
    db: Database, operator: str, player: str, secret: SealedSecret
) -> None:
    """Take back all tries of a PIN: it was right.

    Raises:
        DatabaseUnavailable: no answer; they may have been taken back.
    """
    db.write(_RIGHT, (operator, player, secret.nonce))
