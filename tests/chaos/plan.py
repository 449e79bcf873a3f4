"""What a seed decides: who plays, what goes wrong, and when."""

import random
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

NETWORK: Final = (
    "lost",  # the command never arrives
    "left",  # it arrives, and its sender is gone before it is done
    "unanswered",  # it is done, and no byte of the answer comes back
    "cut",  # the answer ends in the middle
    "twice",  # it arrives twice, at the same time
)
"""What the network does to a command."""

WALLET: Final[Mapping[str, float]] = MappingProxyType(
    {
        "error_before": 0.015,
        "error_after": 0.015,
        "stall_before": 0.004,
        "stall_after": 0.008,
        "cut_before": 0.010,
        "cut_after": 0.015,
        "cut_middle": 0.010,
        "slow": 0.003,
        "twice": 0.010,
        "huge": 0.003,
        "malformed": 0.008,
        "negative": 0.005,
        "other_currency": 0.005,
        "wrong_id": 0.005,
    }
)
"""How often a wallet's answer goes wrong, and how: as the example wallet names it."""

Kind = Literal["worker", "postgres", "jobs", "wallet", "serve", "outage", "stop"]

_OUTAGES: Final = ("error_before", "error_after", "stall_after", "cut_after")
_FULL: Final[Mapping[Kind, int]] = MappingProxyType(
    {
        "worker": 24,
        "postgres": 18,
        "jobs": 12,
        "wallet": 8,
        "serve": 4,
        "outage": 12,
        "stop": 6,
    }
)
_QUICK: Final[Mapping[Kind, int]] = MappingProxyType(
    {
        "worker": 4,
        "postgres": 4,
        "jobs": 2,
        "wallet": 1,
        "serve": 1,
        "outage": 2,
        "stop": 1,
    }
)


class Blow(NamedTuple):
    """Something that is done to the house when so many rounds have been played.

    A process is killed; in an outage each of the wallet's answers goes wrong; a stop is
    one of all gaming, as an operator's engineer makes it.
    """

    at: int
    kind: Kind
    seconds: float
    """How long it lasts, where it lasts."""
    fault: str
    """What an outage is like, in the wallet's word."""


class Plan(NamedTuple):
    """A run, as its seed says."""

    seed: int
    rounds: int
    players: int
    minutes: int
    """After so many nobody begins another round."""
    blows: tuple[Blow, ...]

    def chance(self, what: str) -> random.Random:
        """Return the choices of one actor, the same for the same seed."""
        return random.Random(f"{self.seed} {what}")  # noqa: S311 - to be the same again


class Traits(NamedTuple):
    """Who a player is."""

    operator: str
    currency: str
    tables: Sequence[str]
    funds: int
    """What he begins with, in minor units."""


OPERATORS: Final[Mapping[str, str]] = MappingProxyType(
    {"house": "ledger", "palace": "seamless"}
)
"""Who keeps the money of whose players."""
_TABLES: Final = ("progressive-five", "classic-three", "american-five")
_RICH: Final = 1_000_000
_POOR: Final = 4_000
"""A few wagers: such a player is refused again and again, also in mid-round."""


def plan_of(seed: int, *, quick: bool) -> Plan:
    """Return the plan of a seed: the same one every time."""
    plan = Plan(seed, *((300, 50, 15) if quick else (5_000, 50, 120)), ())
    chance = plan.chance("blows")
    kinds: list[Kind] = [
        kind
        for kind, times in (_QUICK if quick else _FULL).items()
        for _ in range(times)
    ]
    chance.shuffle(kinds)
    apart = plan.rounds / (len(kinds) + 1)
    blows = (
        Blow(
            at=int(apart * (number + chance.uniform(-0.3, 0.3))),
            kind=kind,
            seconds=chance.uniform(3.0, 9.0),
            fault=chance.choice(_OUTAGES),
        )
        for number, kind in enumerate(kinds, 1)
    )
    return plan._replace(blows=tuple(blows))


def traits_of(number: int) -> Traits:
    """Return who the player of a number is: every sort of them, in turn."""
    in_euro = number // 2 % 4 == 0
    return Traits(
        operator=list(OPERATORS)[number % 2],
        currency="EUR" if in_euro else "USD",
        tables=_TABLES[1:] if in_euro else _TABLES,
        funds=_POOR if number // 2 % 5 == 0 else _RICH,
    )
