"""What the database holds sealed: cards to come, operators' secrets, players' PINs.

AES-256-GCM under a key ring that lives outside the database. A seal is bound to the
account and the shoe's id, or to the operator and the key's id, so a row that is moved
or swapped won't open.
"""

from pathlib import Path
from typing import Final, NamedTuple, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.chance import NONCE_BYTES, SALT_BYTES, WholeShoe, new_nonce
from service.keyfile import KeyFile


class SealBroken(Exception):
    """A sealed shoe or secret can't be opened; says why, and never what is inside."""


class SealedShoe(NamedTuple):
    """A shoe as it is stored.

    `sealed` is the cipher text with its 16-byte tag; `commitment` is hex.
    """

    key_id: str
    nonce: bytes
    sealed: bytes
    commitment: str


class SealedSecret(NamedTuple):
    """A secret of an operator or player as it is stored; `sealed` ends with its tag."""

    key_id: str
    nonce: bytes
    sealed: bytes


class KeyRing:
    """The keys that seal and open; what is new is sealed with the current one.

    Each key's cipher is made once. Safe for several threads at once.
    """

    __slots__ = ("_ciphers", "_current", "_names")

    def __init__(self, keys: KeyFile) -> None:
        self._current: Final = keys.current
        self._ciphers: Final = {kid: AESGCM(key) for kid, key in keys.items()}
        self._names: Final = repr(keys)

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Read a key file. Raises keyfile.KeyFault."""
        return cls(KeyFile.from_file(path))

    @classmethod
    def from_text(cls, text: str, source: str) -> Self:
        """Take the text of a key file. Raises keyfile.KeyFault."""
        return cls(KeyFile.from_text(text, source))

    def seal(self, shoe: WholeShoe, account: str, shoe_id: str) -> SealedShoe:
        """Seal a shoe for one account and id with the current key."""
        nonce = new_nonce()
        sealed = self._ciphers[self._current].encrypt(
            nonce,
            shoe.salt + shoe.order.encode("ascii"),
            _bound_to("shoe", account, shoe_id),
        )
        return SealedShoe(self._current, nonce, sealed, shoe.commitment)

    def open(self, sealed: SealedShoe, account: str, shoe_id: str) -> WholeShoe:
        """Open a sealed shoe and check it against its commitment.

        Raises SealBroken when the key isn't in the ring, the seal was made for
        another account or id, anything was altered, or the shoe inside isn't
        the one that was committed to.
        """
        plain = self._opened(
            sealed[:3], _bound_to("shoe", account, shoe_id), f"shoe {shoe_id}"
        )
        shoe = WholeShoe(plain[:SALT_BYTES], plain[SALT_BYTES:].decode("ascii"))
        if shoe.commitment != sealed.commitment:
            raise SealBroken(f"shoe {shoe_id}: the shoe is not the one committed to")
        return shoe

    def seal_secret(self, secret: bytes, operator: str, name: str) -> SealedSecret:
        """Seal the secret of an operator's key of that name with the current key."""
        nonce = new_nonce()
        bound = _bound_to("secret", operator, name)
        sealed = self._ciphers[self._current].encrypt(nonce, secret, bound)
        return SealedSecret(self._current, nonce, sealed)

    def open_secret(self, sealed: SealedSecret, operator: str, name: str) -> bytes:
        """Open the secret of an operator's key of that name. Raises SealBroken."""
        bound = _bound_to("secret", operator, name)
        return self._opened(sealed, bound, f"key {name} of {operator}")

    def _opened(
        self, sealed: tuple[str, bytes, bytes], bound: bytes, what: str
    ) -> bytes:
        key_id, nonce, content = sealed
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            raise SealBroken(f"{what}: no key {key_id!r} in the key ring")
        if len(nonce) != NONCE_BYTES:
            raise SealBroken(f"{what}: the nonce must have {NONCE_BYTES} bytes")
        try:
            return cipher.decrypt(nonce, content, bound)
        except InvalidTag:
            kind = what.partition(" ")[0]
            raise SealBroken(
                f"{what}: the seal is not the one of this {kind}"
            ) from None

    def __repr__(self) -> str:
        """Name the keys and show none."""
        return f"<KeyRing of {self._names}>"


def _bound_to(kind: str, owner: str, name: str) -> bytes:
    """Make the associated data: each part with its length, so none can shift."""
    return f"{kind}/1 {len(owner)}:{owner} {len(name)}:{name}".encode()
