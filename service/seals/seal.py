"""A day's seal: what is signed, with which key, and what must hold of several."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from service.keyfile import KeyFile

GENESIS: Final = bytes(32)
"""What the first seal follows."""


class Seal(NamedTuple):
    """What a seal says of the log.

    It covers every row whose transaction's number is below `before` and not below the
    former seal's; `previous` is the former seal's digest.
    """

    number: int
    day: str
    """The day that it closes, YYYY-MM-DD (UTC)."""
    made_at: int
    """Microseconds since 1970 UTC."""
    before: int
    leaves: int
    root: bytes
    previous: bytes
    key_id: str

    @property
    def text(self) -> bytes:
        """What is signed: a line each, in ASCII, numbers in decimal, bytes in hex."""
        lines = (
            *("upcard-seal/1", self.number, self.day, self.made_at, self.before),
            *(self.leaves, self.root.hex(), self.previous.hex(), self.key_id),
        )
        return "".join(f"{line}\n" for line in lines).encode("ascii")

    @property
    def digest(self) -> bytes:
        """What the next seal calls `previous`: SHA-256 of what is signed."""
        return hashlib.sha256(self.text).digest()


class SignedSeal(NamedTuple):
    """A seal with its Ed25519 signature (64 bytes) and the public key (32 bytes)."""

    seal: Seal
    public_key: bytes
    signature: bytes


class SealKeys:
    """The keys that sign seals; new ones are signed with the current one."""

    def __init__(self, keys: KeyFile) -> None:
        self.current: Final = keys.current
        self._keys: Final = {
            kid: Ed25519PrivateKey.from_private_bytes(key) for kid, key in keys.items()
        }

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Read a key file. Raises keyfile.KeyFault."""
        return cls(KeyFile.from_file(path))

    @property
    def public(self) -> Mapping[str, bytes]:
        """The public keys, by name."""
        return {
            kid: key.public_key().public_bytes_raw() for kid, key in self._keys.items()
        }

    def signed(self, seal: Seal) -> SignedSeal:
        """Sign a seal with the key that it names."""
        key = self._keys[seal.key_id]
        public = key.public_key().public_bytes_raw()
        return SignedSeal(seal, public, key.sign(seal.text))

    def sign(self, message: bytes) -> tuple[str, bytes, bytes]:
        """Sign with the current key: its name, its public key and the signature."""
        key = self._keys[self.current]
        return self.current, key.public_key().public_bytes_raw(), key.sign(message)


def is_signed(message: bytes, public_key: bytes, signature: bytes) -> bool:
    """Whether an Ed25519 signature is right."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def chain_faults(
    seals: Iterable[SignedSeal], trusted: Iterable[bytes]
) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with seals, in order from the first: number and fault.

    `trusted` are the public keys that may have signed them: a key that comes with the
    seals proves nothing.
    """
    known = set(trusted)
    number, previous, before = 0, GENESIS, 0
    for seal, public_key, signature in seals:
        number += 1
        if seal.number != number:
            yield number, f"is missing; the next there is has number {seal.number}"
            number = seal.number
        elif seal.previous != previous:
            yield number, "does not follow from the one before it"
        if public_key not in known:
            yield number, f"is signed with key {public_key.hex()}, which is not trusted"
        elif not is_signed(seal.text, public_key, signature):
            yield number, "its signature is wrong: it was changed"
        if seal.before < before:
            yield number, "covers less than the one before it"
        previous, before = seal.digest, seal.before
