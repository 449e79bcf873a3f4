"""Inspection: every round of the database against all that can tell of it.

Each round is checked as its proof would be (service/audit): chain, shoe, cards, rules,
payouts, money. Beyond that the list of rounds and the seals must know it as it is: so
what was taken away whole, or written anew with hashes that fit, is found too.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, NoReturn

from service.audit import CHAIN, report_on
from service.audit.evidence import Evidence, Tables
from service.chance import WholeShoe
from service.inspection.gathered import Gathered, gathered
from service.inspection.listed import list_faults
from service.inspection.sealed import Sealed
from service.proof import Json, MoneyRow, Proof, ProofFault, Row
from service.sealing import KeyRing, SealBroken, SealedShoe
from service.seals.seal import SignedSeal
from service.store.errors import ArchiveUnavailable
from service.store.inspection import Everything
from service.store.rows import LogRow, RoundRow

_ENDS: Final = {"round_settled/1", "round_voided/1", "round_malfunctioned/1"}
_MOVED: Final = ("credit", "refund", "correction", "end")


class Finding(NamedTuple):
    """Something that is not as it was written: of which round or seal, and where."""

    subject: str
    """A round's id, or "seal 3"."""
    where: str


class Inspector:
    """Checks rounds one after the other, and counts what it looked at."""

    def __init__(
        self,
        ring: KeyRing,
        sources: Mapping[str, str],
        seals: Sequence[SignedSeal],
        trusted: Sequence[bytes],
        archived: "Archive",
    ) -> None:
        """Take the shoes' keys, table files by version, and the seals.

        `trusted` are the public keys that seals may be signed with; `archived` reads
        what is in a file no more.
        """
        self._archived = archived
        self._ring = ring
        self._sources = sources
        self._sealed = Sealed(seals, trusted)
        self._tables = Tables()
        self.counts: Final[Counter[str]] = Counter()
        self.archived: Final[Counter[str]] = Counter()
        """How many rounds are said to be in each file."""

    def inspect(
        self, everything: Everything, watch: Callable[[str], None] = lambda _: None
    ) -> Iterator[Finding]:
        """Yield what is wrong; `watch` is told of each account, in order.

        Raises DatabaseUnavailable.
        """
        for told in gathered(everything):
            watch(told.account)
            try:
                found = self._whole(told)
            except ArchiveBroken as broken:
                yield Finding(told.round_id, str(broken))
                self._sealed.count_leaves(told)
                continue
            self.counts["rounds"] += bool(found.log)
            self.counts["rows"] += len(found.log)
            faults = self._written(found) if found.log else _missing(found)
            sealed = self._sealed.faults(found)
            for where in (*faults, *sealed):
                yield Finding(found.round_id, where)
        for number, where in self._sealed.seal_faults():
            yield Finding(f"seal {number}", where)
        self.counts["seals"] = self._sealed.count

    def _whole(self, told: Gathered) -> Gathered:
        """Add what has gone to a file. Raises ArchiveBroken, ArchiveUnavailable."""
        file = RoundRow(*told.rounds[0]).archived_in if told.rounds else None
        if file is None:
            return told
        self.archived[file] += 1
        rows, shoe = self._archived(file, told.round_id)
        log = [(*row, None) for row in rows]
        shoes = [] if shoe is None else [(told.account, told.round_id, *shoe)]
        return told._replace(log=[*log, *told.log], shoes=[*shoes, *told.shoes])

    def _written(self, found: Gathered) -> Iterator[str]:
        rows = tuple(Row(*row[2:9]) for row in found.log)
        try:
            told = [row.told() for row in rows]
        except ProofFault as fault:
            yield str(fault)
            return
        opened = told[0]["events"][0]
        ends = any(event["type"] in _ENDS for event in told[-1]["events"])
        try:
            shoe = self._shoe(found)
        except SealBroken as broken:
            yield str(broken)
            shoe = None
        proof = self._proof(found, rows, opened, shoe or WholeShoe(b"", ""))
        evidence = Evidence(proof, self._tables, over=False, told=told)
        for check in report_on(evidence).checks:
            # Without its shoe no more can be said of a round than its chain does.
            if not check.ok and (shoe or check.name == CHAIN):
                yield f"{check.where} ({check.name}: no)"
        if not found.rounds:
            yield "the list of rounds does not have it"
            return
        listed = RoundRow(*found.rounds[0])
        if listed.closed_at is not None and not ends:
            yield "the list of rounds has it as over, and its log has no end"
        elif evidence.replayed is not None:
            last = LogRow(*found.log[-1][:9])
            yield from list_faults(listed, last, evidence.replayed, told)

    def _proof(
        self, found: Gathered, rows: tuple[Row, ...], opened: Json, shoe: WholeShoe
    ) -> Proof:
        version = opened.get("table_version", "")
        return Proof(
            round_id=found.round_id,
            account=found.account,
            table_id=opened.get("table_id", ""),
            table_version=version,
            table_source=self._sources.get(str(version), ""),
            shoe_id=opened.get("shoe_id", ""),
            shoe=shoe,
            commitment=opened.get("commitment", ""),
            shuffler=opened.get("shuffler", ""),
            rows=rows,
            money=tuple(_money(found)),
        )

    def _shoe(self, found: Gathered) -> WholeShoe:
        """Open the round's own shoe. Raises SealBroken."""
        if not found.shoes:
            raise SealBroken("its shoe is missing")
        sealed = SealedShoe(*found.shoes[0][2:])
        return self._ring.open(sealed, found.account, found.round_id)


Archive = Callable[[str, str], tuple[Sequence[LogRow], SealedShoe | None]]
"""Gives a round's rows and shoe out of a file. Raises ArchiveBroken."""


class ArchiveBroken(Exception):
    """A round can't be had from its file: why."""


def no_archive(file: str, _: str) -> NoReturn:
    """Say that there is no archive. Raises ArchiveUnavailable."""
    raise ArchiveUnavailable(f"{file} is needed: UPCARD_ARCHIVE names no folder")


def _money(found: Gathered) -> Iterator[MoneyRow]:
    for _, _, ver, _, purpose, side, amount, currency, balance in found.lines:
        said = (None, purpose, side, amount, currency, None, balance)
        yield MoneyRow("ledger", "", ver, *said)
    for _, _, ver, name, kind, purpose, amount, currency, status in found.calls:
        told = status if kind == "debit" else None
        yield MoneyRow(
            "wallet", name, ver, kind, purpose, None, amount, currency, told, None
        )


def _missing(found: Gathered) -> Iterator[str]:
    """Yield who tells of a round that has no log.

    A shoe alone may be of a deal whose stake waits, and so may a debit.
    """
    if found.rounds:
        yield "the list of rounds has it, and its log is missing"
    if found.lines or any(row[4] in _MOVED for row in found.calls):
        yield "money moved for it, and its log is missing"
