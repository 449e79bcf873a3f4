"""Player tokens: short-lived signed statements of who is asking.

A token is a JWT for one player, operator, currency and mode. It is read as RFC
8725 asks: one algorithm, an explicit type, every claim checked. Time is passed
in, in whole seconds since 1970 UTC, so that there is no clock here.
"""

import re
import uuid
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Self, cast

import orjson
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from service.keyfile import KeyFile

ISSUER: Final = "upcard"
LIFETIME_MAX: Final = 24 * 60 * 60
"""Seconds; a token that lives longer is refused even when its seal is good."""
LEEWAY: Final = 30
"""Seconds by which an issuer's clock may run ahead of ours."""
LENGTH_MAX: Final = 1024
_REMEMBERED: Final = 4096
"""Good tokens that a process remembers: a few megabytes at most."""

Mode = Literal["real", "demo"]
Code = Literal["unauthenticated", "token_expired"]

_ALGORITHM: Final = "HS256"
_TYPE: Final = "player+jwt"
_NAME: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_TEXTS: Final = {
    "iss": re.compile(ISSUER),
    "sub": _NAME,
    "op": _NAME,
    "cur": re.compile(r"[A-Z]{3}"),
    "mode": re.compile("real|demo"),
}
_SESSION: Final = re.compile("|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CLAIMS: Final = _TEXTS.keys() | {"iat", "exp"}
_ACCOUNTS: Final = uuid.uuid5(uuid.NAMESPACE_URL, "urn:upcard:account")
"""Never change it: every stored row of a player is found by it."""
_REGISTRY: Final = jws.JWSRegistry(algorithms=[_ALGORITHM])


class TokenRefused(Exception):
    """A token is not accepted. Neither `code` nor `detail` holds any of it."""

    def __init__(self, code: Code, detail: str) -> None:
        """Take the code of the problem and a sentence for the caller."""
        super().__init__(f"{code}: {detail}")
        self.code: Final = code
        self.detail: Final = detail


class Caller(NamedTuple):
    """Who is asking. `account` is the key under which their rounds are stored."""

    operator: str
    player: str
    currency: str
    mode: Mode
    account: str
    session: str | None = None


class TokenKeys:
    """The keys that sign and check player tokens; new ones take the current key.

    Safe for several threads at once.
    """

    __slots__ = ("_current", "_keys", "_names", "_opened")

    def __init__(self, keys: KeyFile) -> None:
        self._current: Final = keys.current
        self._keys: Final = {
            kid: OctKey.import_key(key, {"kid": kid}) for kid, key in keys.items()
        }
        self._names: Final = repr(keys)
        self._opened: Final = lru_cache(maxsize=_REMEMBERED)(self._open)

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Read a key file. Raises keyfile.KeyFault."""
        return cls(KeyFile.from_file(path))

    @classmethod
    def from_text(cls, text: str, source: str) -> Self:
        """Take the text of a key file. Raises keyfile.KeyFault."""
        return cls(KeyFile.from_text(text, source))

    def issue(  # noqa: PLR0913 - one argument a claim, all by name
        self,
        *,
        operator: str,
        player: str,
        currency: str,
        mode: Mode,
        now: int,
        lifetime: int,
        session: str | None = None,
    ) -> str:
        """Make a token that is good from `now` on for `lifetime` seconds.

        Without a `session` it is the engineer's own, made beside the key file.

        Raises ValueError when a claim is one that `read` would refuse.
        """
        claims: dict[str, Any] = {
            "iss": ISSUER,
            "sub": player,
            "op": operator,
            "cur": currency,
            "mode": mode,
            "iat": now,
            "exp": now + lifetime,
        }
        if session is not None:
            claims["sid"] = session
        if (fault := _fault_of(claims)) is not None:
            raise ValueError(f"no token: {fault}")
        return jws.serialize_compact(
            _header_of(self._current),
            orjson.dumps(claims),
            self._keys[self._current],
            registry=_REGISTRY,
        )

    def read(self, token: str, now: int) -> Caller:
        """Tell who a token speaks for. Raises TokenRefused.

        The times are looked at each time; a good seal is remembered, since a player
        sends the same token with every move.
        """
        caller, starts, expires = self._opened(token)
        if starts > now + LEEWAY:
            raise TokenRefused("unauthenticated", "The token is not valid yet.")
        if expires <= now:
            raise TokenRefused("token_expired", "The token has expired.")
        return caller

    def _open(self, token: str) -> tuple[Caller, int, int]:
        """Check the seal and the claims; return them, from when on and until when."""
        if len(token) > LENGTH_MAX or not token.isascii():
            raise TokenRefused("unauthenticated", "The token is not a player token.")
        try:
            signed = jws.deserialize_compact(token, self._key_of, registry=_REGISTRY)
            claims = orjson.loads(signed.payload)
        except (JoseError, ValueError, TypeError):
            # Without its cause, which may hold parts of the token.
            raise TokenRefused(
                "unauthenticated", "The token is not one that this server signed."
            ) from None
        if (fault := _fault_of(claims)) is not None:
            raise TokenRefused("unauthenticated", f"The token is not valid: {fault}.")
        operator, player, mode = claims["op"], claims["sub"], claims["mode"]
        account = account_of(operator, player, mode)
        session = claims.get("sid")
        caller = Caller(operator, player, claims["cur"], mode, account, session)
        starts = max(claims["iat"], claims.get("nbf", 0))
        return caller, starts, claims["exp"]

    def _key_of(self, signed: object) -> OctKey:
        """Find the key of a token whose header is one of ours and says no more."""
        header = cast("jws.CompactSignature", signed).headers()
        kid = str(header.get("kid"))
        if kid not in self._keys or header != _header_of(kid):
            raise ValueError("not the header of a player token")
        return self._keys[kid]

    def __repr__(self) -> str:
        """Name the keys and show none."""
        return f"<TokenKeys of {self._names}>"


def account_of(operator: str, player: str, mode: Mode) -> str:
    """Return the account (a UUIDv5) of one player of one operator in one mode.

    The name is a JSON array, in which no part can run into the next.

    >>> account_of("dev", "alice", "real") == account_of("dev", "alice", "demo")
    False
    """
    name = orjson.dumps([operator, player, mode]).decode()
    return str(uuid.uuid5(_ACCOUNTS, name))


def _header_of(kid: str) -> dict[str, Any]:
    """Make the header of a token that the key `kid` signs."""
    return {"alg": _ALGORITHM, "typ": _TYPE, "kid": kid}


def _fault_of(claims: Mapping[str, Any]) -> str | None:
    """Say what is wrong with the claims, naming no value; None if nothing is."""
    if not isinstance(claims, dict) or not claims.keys() >= _CLAIMS:
        return "it lacks a claim"
    for name, pattern in _TEXTS.items():
        value = claims[name]
        if not isinstance(value, str) or not pattern.fullmatch(value):
            return f"its claim {name} is malformed"
    session = claims.get("sid", "")
    if not isinstance(session, str) or not _SESSION.fullmatch(session):
        return "its claim sid is malformed"
    issued, expires = claims["iat"], claims["exp"]
    times = (issued, expires, claims.get("nbf", 0))
    # bool is an int to isinstance, and true is no time.
    if any(type(time) is not int for time in times) or issued < 0:
        return "its times are not whole seconds"
    if not 0 < expires - issued <= LIFETIME_MAX:
        return f"it must live for 1 to {LIFETIME_MAX} seconds"
    return None
