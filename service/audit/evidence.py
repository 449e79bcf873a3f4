"""What a proof says, read once for all checks."""

from collections.abc import Iterator
from functools import cached_property
from typing import Final

from service.proof import Json, Proof
from service.rules.round import Round
from service.rules.table import TableRules
from service.tablefile import TableFault, parse_table


class Fault(Exception):
    """A check fails: where, and what is wrong there."""


class Tables:
    """The rules of table files, each text parsed once."""

    def __init__(self) -> None:
        self._known: Final[dict[str, TableRules]] = {}

    def of(self, text: str) -> TableRules:
        """Return the rules of a table file's text. Raises Fault."""
        known = self._known.get(text)
        if known is not None:
            return known
        try:
            table = self._known[text] = parse_table(text, "table_source")
        except TableFault as fault:
            raise Fault(str(fault)) from None
        return table


class Evidence:
    """A proof with its rows' events and its table's rules."""

    def __init__(
        self,
        proof: Proof,
        tables: Tables,
        *,
        over: bool = True,
        told: list[Json] | None = None,
    ) -> None:
        """Take a proof; `told` is what its rows keep, if that is known already."""
        self.proof: Final = proof
        self.replayed: Round | None = None
        """The round after its last row, once the rules have made it again."""
        if told is not None:
            self.told = told
        self.over: Final = over
        """Whether the round has to be over; what is still open may be held up too."""
        self._tables: Final = tables

    @cached_property
    def told(self) -> list[Json]:
        """What each row keeps of its command. Raises ProofFault."""
        return [row.told() for row in self.proof.rows]

    @cached_property
    def stored(self) -> list[list[Json]]:
        """Each row's events in their stored form. Raises ProofFault."""
        return [told["events"] for told in self.told]

    @property
    def opened(self) -> Json:
        """The event that opened the round. Raises Fault, ProofFault."""
        opened = self.stored[0][0]
        if opened["type"] != "round_opened/1":
            raise Fault("row 1, event 1: is no round_opened")
        return opened

    @cached_property
    def table(self) -> TableRules:
        """The rules that the proof brings, of the version it names. Raises Fault."""
        table = self._tables.of(self.proof.table_source)
        if table.version != self.proof.table_version:
            raise Fault("table_source: its version is not the proof's table_version")
        return table

    def events(self) -> Iterator[tuple["Place", Json]]:
        """Give each event of the round with its place. Raises ProofFault."""
        for row, events in zip(self.proof.rows, self.stored, strict=True):
            for number, event in enumerate(events, 1):
                yield (row.ver, number), event


Place = tuple[int, int]
"""A row's version, and the number of one of its events."""


def where(place: Place, event: Json) -> str:
    """Return the words for an event's place."""
    return f"row {place[0]}, event {place[1]} ({event['type']})"
