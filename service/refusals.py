"""Why the service does not do what it was asked; the rules' own reason is Refused.

Each says enough for an answer that a client can act on. Nothing has happened.
"""

from service.recorded import Seen
from service.rules.commands import Refused


class TableNotFound(LookupError):
    """No table of that name is offered; ``tables`` are those that are."""

    def __init__(self, table_id: str, tables: tuple[str, ...]) -> None:
        super().__init__(f"no table {table_id!r}; offered: {', '.join(tables)}")
        self.table_id = table_id
        self.tables = tables


class TableShared(Exception):
    """A shared table: its rounds are dealt to all seats, not to one player."""


class RoundNotFound(LookupError):
    """The account has no such round."""


class RoundOpenExists(Exception):
    """The player's last round at this table is not over."""

    def __init__(self, round_id: str) -> None:
        super().__init__(f"round {round_id} is open")
        self.round_id = round_id


class CurrencyMismatch(Exception):
    """A command would move money in another currency than its sender may."""

    def __init__(self, allowed: str, needed: str) -> None:
        super().__init__(f"{needed} is needed, {allowed} is allowed")
        self.allowed = allowed
        self.needed = needed


class KeyReused(Exception):
    """The idempotency key belongs to another request of the player."""


class VersionMissing(Exception):
    """A command on a round must say which version of it was seen."""


class VersionStale(Exception):
    """The round has moved on; ``seen`` is the present one."""

    def __init__(self, seen: Seen) -> None:
        super().__init__(f"the round is at version {seen.version}")
        self.seen = seen


class NotAllowed(Exception):
    """The rules refuse a command on a round; ``seen`` says what is legal instead."""

    def __init__(self, refused: Refused, seen: Seen) -> None:
        super().__init__(refused.detail)
        self.refused = refused
        self.seen = seen


class ProofNotReady(Exception):
    """The shoe is still in play, so its order is not told."""


class NotFunded(Exception):
    """The player has too little for a command; ``seen`` is the round as before."""

    def __init__(self, required: int, balance: int | None, seen: Seen | None) -> None:
        super().__init__(f"{required} required")
        self.required = required
        self.balance = balance
        self.seen = seen


class RoundWaits(Exception):
    """Another command waits for the operator's wallet; nothing is legal till then."""

    def __init__(self, round_id: str) -> None:
        super().__init__(f"round {round_id} waits for the wallet")
        self.round_id = round_id


class TableDisabled(Exception):
    """The operator offers the table to nobody now; open rounds go on."""


class TableNotInSession(Exception):
    """The player was launched for other tables; ``tables`` are those."""

    def __init__(self, tables: tuple[str, ...]) -> None:
        super().__init__(f"the session is for {', '.join(tables)}")
        self.tables = tables


class NoLastRound(LookupError):
    """The same is to be bet again at a table where the player has bet nothing yet."""


class NotSandbox(Exception):
    """Cards are named by someone who may not: only a sandbox's demo player may."""


class SandboxOnly(Exception):
    """The operator is a sandbox: its players have no real money."""


class SessionOver(Exception):
    """The session was ended, by the operator or by time; open rounds may be played."""


class ExposureExceeded(Exception):
    """The round could put more at stake than the operator allows."""

    def __init__(self, exposure: int, ceiling: int) -> None:
        super().__init__(f"{exposure} is above {ceiling}")
        self.exposure = exposure
        self.ceiling = ceiling
