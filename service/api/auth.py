"""Who is asking: a player by his token, an operator by his signature."""

import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from service.api.asked import Asked
from service.api.operations import Who
from service.api.operator_auth import is_signed, operator_of
from service.api.problems import Problem
from service.api.tokens import Caller, TokenKeys, TokenRefused
from service.operators import OperatorKeys
from service.store.database import Database

_SCHEME: Final = "bearer "
_NO_TOKEN: Final = {"WWW-Authenticate": "Bearer"}
_BAD_TOKEN: Final = {"WWW-Authenticate": 'Bearer error="invalid_token"'}


class Gate(NamedTuple):
    """What it takes to know who asks."""

    tokens: TokenKeys
    operators: OperatorKeys
    database: Database

    def let_in(self, asked: Asked, who: Who) -> None:
        """Note in `asked` who asks, if the operation is for such as him.

        Raises Problem `unauthenticated`, `token_expired`, or `forbidden` for a good
        credential of the other kind; or DatabaseUnavailable.
        """
        signed, bears = is_signed(asked.environ), bears_token(asked.environ)
        match who:
            case "player":
                if signed and not bears:
                    self._operator(asked)
                    raise Problem("forbidden", "This is for a player, with a token.")
                asked.caller = caller_of(self.tokens, asked.environ)
            case "operator":
                if bears and not signed:
                    caller_of(self.tokens, asked.environ)
                    raise Problem("forbidden", "This is for an operator, who signs.")
                asked.operator, asked.signed_by = self._operator(asked)
            case "anybody":
                pass

    def _operator(self, asked: Asked) -> tuple[str, str]:
        return operator_of(self.operators, self.database, asked)


def caller_of(tokens: TokenKeys, environ: Mapping[str, Any]) -> Caller:
    """Return who the request's token speaks for.

    Raises Problem `unauthenticated` or `token_expired`. The time is this machine's:
    it decides about access, never about a round.
    """
    if not bears_token(environ):
        detail = "Send a player token as Authorization Bearer."
        raise Problem("unauthenticated", detail, headers=_NO_TOKEN)
    sent: str = environ["HTTP_AUTHORIZATION"]
    try:
        return tokens.read(sent[len(_SCHEME) :].strip(), int(time.time()))
    except TokenRefused as refused:
        # Without its cause, which may hold parts of the token.
        raise Problem(refused.code, refused.detail, headers=_BAD_TOKEN) from None


def bears_token(environ: Mapping[str, Any]) -> bool:
    """Tell whether a request brings a player's token, good or bad."""
    sent: str = environ.get("HTTP_AUTHORIZATION", "")
    return sent[: len(_SCHEME)].lower() == _SCHEME
