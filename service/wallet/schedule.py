"""How long a wallet is waited for, and when it is asked again: as published.

The numbers stand in docs/wallet.yaml, too, where integrators read them.
"""

from typing import Final, NamedTuple


class Patience(NamedTuple):
    """Seconds to connect, to be answered in full, and for all tries of one command."""

    connect: float
    answer: float
    altogether: float


class Times(NamedTuple):
    """Whose time it is: with `altogether` 0 there is one try."""

    command: Patience
    """A player waits for the debit."""
    at_once: Patience
    """A player waits, and need not: the outbox has the other tries."""
    in_turn: Patience
    """The job; the next try is as the schedule says."""
    look: Patience
    """A balance to show."""


PUBLISHED: Final = Times(
    command=Patience(1.0, 3.0, 5.0),
    at_once=Patience(1.0, 2.0, 0.0),
    in_turn=Patience(1.0, 3.0, 0.0),
    look=Patience(0.5, 1.0, 0.0),
)

PAUSE_MILLISECONDS: Final = 200
"""The shortest pause between two tries of a command; the longest is twice that."""

LEASE_SECONDS: Final = 10
"""A call that a worker makes is left to it so long; then the job makes it."""

RETRY_SECONDS: Final = (10, 20, 30, 60, 120, 300, 600, 1_800, 3_600)
"""From one try of the job to the next, the last one for good."""

GIVE_UP_SECONDS: Final = 86_400
"""A debit that is not known by then is rolled back, and the player is free again."""
