"""How long a wallet is waited for, and when it is asked again: as published.

The numbers stand in docs/wallet.yaml, too, where integrators read them.
"""

from typing import Final, NamedTuple


class Patience(NamedTuple):
    """Seconds to connect, to be answered in full, and for all tries of one command."""

    connect: float
    answer: float
    altogether: float


COMMAND: Final = Patience(1.0, 3.0, 5.0)
"""A player waits for the debit: a few tries within the last number."""
AT_ONCE: Final = Patience(1.0, 2.0, 0.0)
"""A player waits, and need not: one try, the outbox has the others."""
IN_TURN: Final = Patience(1.0, 3.0, 0.0)
"""The job: one try, the next as the schedule says."""
LOOK: Final = Patience(0.5, 1.0, 0.0)
"""A balance to show."""

PAUSE_MILLISECONDS: Final = 200
"""The shortest pause between two tries of a command; the longest is twice that."""

LEASE_SECONDS: Final = 10
"""A call that a worker makes is left to it so long; then the job makes it."""

RETRY_SECONDS: Final = (10, 20, 30, 60, 120, 300, 600, 1_800, 3_600)
"""From one try of the job to the next, the last one for good."""

GIVE_UP_SECONDS: Final = 86_400
"""A debit that is not known by then is rolled back, and the player is free again."""
