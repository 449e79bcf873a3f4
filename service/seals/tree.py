"""The Merkle tree of a day's rounds, as RFC 6962 (section 2.1) makes one.

A leaf is a round as it stood: its account, id, version and the hash of that version's
row. Leaves are sorted by account and id, so that a set of rounds has one root.
"""

import hashlib
from typing import Final, NamedTuple
from uuid import UUID

_LEAF: Final = b"\x00"
_NODE: Final = b"\x01"
_VERSION_BYTES: Final = 4


class Leaf(NamedTuple):
    """A round as it stood when the seal was made; `hash` is 32 bytes."""

    account: str
    round_id: str
    ver: int
    hash: bytes

    @property
    def digest(self) -> bytes:
        """SHA-256 of 0x00, both ids (16 bytes each), the version (4) and the hash."""
        ids = UUID(self.account).bytes + UUID(self.round_id).bytes
        ver = self.ver.to_bytes(_VERSION_BYTES, "big")
        return hashlib.sha256(_LEAF + ids + ver + self.hash).digest()


class Tree:
    """A tree that takes its leaves in order and keeps no more than its right edge.

    >>> tree = Tree()
    >>> tree.root().hex()[:8]  # the SHA-256 of nothing, as the RFC says
    'e3b0c442'
    """

    def __init__(self) -> None:
        self._edge: list[tuple[int, bytes]] = []
        self.leaves = 0

    def add(self, digest: bytes) -> None:
        """Add the digest of the next leaf."""
        size = 1
        self.leaves += 1
        while self._edge and self._edge[-1][0] == size:
            digest = _node(self._edge.pop()[1], digest)
            size *= 2
        self._edge.append((size, digest))

    def root(self) -> bytes:
        """Return the root of the leaves so far."""
        if not self._edge:
            return hashlib.sha256().digest()
        *rest, (_, root) = self._edge
        for _, left in reversed(rest):
            root = _node(left, root)
        return root


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(_NODE + left + right).digest()
