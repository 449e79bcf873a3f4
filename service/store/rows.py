"""The rows as Python sees them.

Ids are UUIDs in lower-case text, times are int microseconds since 1970 UTC, money is
int minor units.
"""

from typing import NamedTuple

from service.sealing import SealedShoe


class LogRow(NamedTuple):
    """One accepted command."""

    account: str
    round_id: str
    ver: int
    """The command's number in its round, from 1: the round's version after it."""
    player: str
    at: int
    """When it was accepted, by the database's clock."""
    key: str
    """The Idempotency-Key, of this player in this account."""
    req: bytes
    """The request's hash."""
    data: bytes
    """The exact bytes of the JSON: events, and what the reply showed beside them."""
    hash: bytes
    """32 bytes, see `chain.chain_hash`."""


class Holder(NamedTuple):
    """Whose money it is: an account's, and what its id is made of."""

    account: str
    operator: str
    player: str
    mode: str
    """"real" or "demo"."""


class RoundRow(NamedTuple):
    """What the log says of one player's round, for history, resume and jobs.

    `status` is as it was when the row was last written: at the deal, when nothing
    was left to decide, and at the end. Between those the log knows better.
    """

    account: str
    """The player's."""
    round_id: str
    log_account: str
    """Where the log is: the player's own account, or a shared table's."""
    operator: str
    mode: str
    table_id: str
    table_version: str
    currency: str
    status: str
    opened_at: int
    expires_at: int
    """From then on nothing but a settlement is accepted."""
    decided_at: int | None
    closed_at: int | None
    """None as long as the round is open."""
    stake: int
    payout: int | None
    ended_by: str | None = None
    """"player", "job" or "operator": who gave the last command, once it is closed."""
    archived_in: str | None = None
    """The file that its log is in; None: it is in the database."""


class Loaded(NamedTuple):
    """A round's log in order, the sealed shoe asked for, and the database's time."""

    rows: list[LogRow]
    shoe: SealedShoe | None
    now: int
