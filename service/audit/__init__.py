"""Checking the proof of a round, offline and without trust in who made it.

Believed are SHA-256, the commitment that the player saw at the deal, the table's
rules as they were published, and the rules in this package.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from service.audit import log, money, shoe
from service.audit.evidence import Evidence, Fault, Tables
from service.proof import ProofFault, from_json


class Check(NamedTuple):
    """One question and its answer; `where` is the place of a fault, or a short note."""

    name: str
    ok: bool
    where: str


class Report(NamedTuple):
    """All checks of one proof."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check is."""
        return all(check.ok for check in self.checks)


CHAIN: Final = "the log is as it was written"
CHECKS: Final[dict[str, Callable[[Evidence], str]]] = {
    "the shoe is the one committed to": shoe.commitment,
    "the shoe is whole": shoe.whole,
    CHAIN: log.chain,
    "the table's rules are the round's": log.rules,
    "each card is the shoe's next": shoe.cards,
    "the rules give the same events": log.replay,
    "each payout is right": money.payouts,
    "the money is what the events say": money.booked,
}


def verify(document: object) -> Report:
    """Check a proof, a parsed JSON document. Whatever it holds, this only reports."""
    try:
        proof = from_json(document)
    except ProofFault as fault:
        return Report((Check("the proof can be read", ok=False, where=str(fault)),))
    return report_on(Evidence(proof, Tables()))


def report_on(evidence: Evidence) -> Report:
    """Make all checks of what was read once."""
    return Report(
        tuple(_check(name, check, evidence) for name, check in CHECKS.items())
    )


def _check(name: str, check: Callable[[Evidence], str], evidence: Evidence) -> Check:
    try:
        return Check(name, ok=True, where=check(evidence))
    except (Fault, ProofFault) as fault:
        return Check(name, ok=False, where=str(fault))
    except log.UNREADABLE as error:
        # A log of wrong types: no check can say more of it than the chain does.
        return Check(name, ok=False, where=f"unreadable: {type(error).__name__}")
