"""The log against its seals: what each covers is still there, and nothing beside it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from service.inspection.gathered import Gathered
from service.seals.seal import SignedSeal, chain_faults
from service.seals.tree import Leaf, Tree

LATE: Final = 31 * 86_400_000_000
"""Microseconds. A row that waited for a wallet tells of the time at which it was asked,
a day before at most while jobs run, and an open transaction may put off its seal."""
_Stand = tuple[int, bytes]
"""A version, and the hash of its row."""


class Sealed:
    """The seals, and the trees that the leaves make of them."""

    def __init__(self, seals: Sequence[SignedSeal], trusted: Sequence[bytes]) -> None:
        self._seals = [signed.seal for signed in seals]
        self._chain = list(chain_faults(seals, trusted))
        self._bounds = [seal.before for seal in self._seals]
        self._numbers = [seal.number for seal in self._seals]
        self._trees = {seal.number: Tree() for seal in self._seals}

    @property
    def count(self) -> int:
        """How many seals there are."""
        return len(self._seals)

    def faults(self, found: Gathered) -> Iterator[str]:
        """Yield how a round differs from its leaves, which are counted in."""
        leaves = self.count_leaves(found)
        yield from (
            f"a leaf is of seal {number}, which is missing"
            for number in leaves
            if number not in self._trees
        )
        right = self._stands(found, leaves)
        yield from self._late(found, leaves)
        if leaves == right:
            return
        for number in sorted(leaves.keys() | right.keys()):
            if number in self._trees and leaves.get(number) != right.get(number):
                yield _difference(number, leaves.get(number), right.get(number))

    def count_leaves(self, found: Gathered) -> dict[int, _Stand]:
        """Add a round's leaves to their trees, and return them by seal."""
        for account, round_id, number, ver, digest in found.leaves:
            tree = self._trees.get(number)
            if tree is not None:
                tree.add(Leaf(account, round_id, ver, digest).digest)
        return {row[2]: (row[3], row[4]) for row in found.leaves}

    def seal_faults(self) -> Iterator[tuple[int, str]]:
        """Yield what is wrong with the seals: number and fault. Call it last."""
        yield from self._chain
        for seal in self._seals:
            tree = self._trees[seal.number]
            if (tree.leaves, tree.root()) != (seal.leaves, seal.root):
                yield seal.number, "its leaves are not those that were signed"

    def _late(self, found: Gathered, leaves: dict[int, _Stand]) -> Iterator[str]:
        """Yield the first row that is older than the seals that do not know it.

        It was made up later, with the time of another day.
        """
        seals = self._seals
        sealed = {ver: number for number, (ver, _) in leaves.items()}
        for row in found.log:
            ver, at, tx = row[2], row[4], row[9]
            if tx is not None:
                place = bisect_right(self._bounds, tx)
            elif leaves:
                # Where a leaf covers it together with later rows, those are looked at.
                place = bisect_left(self._numbers, sealed.get(ver, 0))
            else:
                # Since there are seals, nothing has left for a file that none covers.
                place = len(seals) if seals and at > seals[0].made_at else 0
            if place and at + LATE < seals[place - 1].made_at:
                yield (
                    f"row {ver} tells of an earlier time than seal "
                    f"{seals[place - 1].number}, which does not know it: put in later"
                )
                return

    def _stands(self, found: Gathered, leaves: dict[int, _Stand]) -> dict[int, _Stand]:
        """Return the leaves that a round's rows must have: its stand at each seal."""
        stands: dict[int, _Stand] = {}
        for row in found.log:
            if row[9] is None:
                # In a file no transaction is told: a row is where its leaf is, and one
                # that no leaf knows of came after the last.
                fitting = [n for n, (ver, _) in leaves.items() if ver == row[2]]
                if row[2] > max((ver for ver, _ in leaves.values()), default=row[2]):
                    fitting = [max(leaves)]
                stands |= dict.fromkeys(fitting, (row[2], row[8]))
                continue
            place = bisect_right(self._bounds, row[9])
            if place < len(self._bounds):
                stands[self._seals[place].number] = row[2], row[8]
        return stands


def _difference(number: int, leaf: _Stand | None, stand: _Stand | None) -> str:
    """Say how a log differs from a seal of it."""
    if leaf is None:
        assert stand is not None, "one of them is there"
        return f"seal {number} does not know row {stand[0]}: it was put in later"
    if stand is None or stand[0] < leaf[0]:
        return f"seal {number} covers row {leaf[0]}, which is missing"
    if stand[0] > leaf[0]:
        return f"row {stand[0]} was put in later: seal {number} ends with row {leaf[0]}"
    return f"row {leaf[0]} is not the one that seal {number} covers: written anew"
