"""Who is asking: the player token of a request."""

import time
from collections.abc import Mapping
from typing import Any, Final

from service.api.problems import Problem
from service.api.tokens import Caller, TokenKeys, TokenRefused

_SCHEME: Final = "bearer "
_NO_TOKEN: Final = {"WWW-Authenticate": "Bearer"}
_BAD_TOKEN: Final = {"WWW-Authenticate": 'Bearer error="invalid_token"'}


def caller_of(tokens: TokenKeys, environ: Mapping[str, Any]) -> Caller:
    """Return who the request's token speaks for.

    Raises Problem `unauthenticated` or `token_expired`. The time is this machine's:
    it decides about access, never about a round.
    """
    sent: str = environ.get("HTTP_AUTHORIZATION", "")
    if sent[: len(_SCHEME)].lower() != _SCHEME:
        detail = "Send a player token as Authorization Bearer."
        raise Problem("unauthenticated", detail, headers=_NO_TOKEN)
    try:
        return tokens.read(sent[len(_SCHEME) :].strip(), int(time.time()))
    except TokenRefused as refused:
        # Without its cause, which may hold parts of the token.
        raise Problem(refused.code, refused.detail, headers=_BAD_TOKEN) from None
