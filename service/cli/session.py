"""The first session: what `upcard serve` prints, for bash and curl and nothing else."""

from typing import Final

from service.api.tokens import TokenKeys
from service.cli.environment import program
from service.cli.listening import address_of
from service.config import Config

OPERATOR: Final = "development"
_LIFETIME: Final = 12 * 60 * 60
"""Seconds: as long as a day's work at a terminal."""

_SESSION: Final = """
A round, to paste into another terminal:

  URL={url}
  TOKEN={token}

  # post PATH [BODY] sends one command, and keeps the round's address and version.
  post() {{
    local key=try-$RANDOM-$RANDOM-$RANDOM-$RANDOM
    REPLY=$(curl -si {socket}"$URL$ROUND$1" -H "Authorization: Bearer $TOKEN" \\
      -H "Idempotency-Key: $key" -H "If-Match: $ETAG" \\
      -H "Content-Type: application/json" -X POST ${{2:+-d "$2"}} | tr -d '\\r')
    [[ $1 = /v1/rounds ]] && ROUND=$(sed -n 's/^[Ll]ocation: //p' <<< "$REPLY")
    ETAG=$(sed -n 's/^[Ee][Tt]ag: //p' <<< "$REPLY")
    printf '\\n%s\\n' "${{REPLY##*$'\\n'}}"
  }}

  curl -s {socket}-w '\\n' $URL/v1/tables/classic-three
  ROUND= ETAG=
  post /v1/rounds '{{"table_id":"classic-three","currency":"{currency}",
    "boxes":[{{"box":1,"wager":1000}}]}}'
  [[ $REPLY = *'"status":"insurance"'* ]] && post /insurance '{{"boxes":[]}}'
  [[ $REPLY = *'"status":"playing"'* ]] &&
    post /actions '{{"hand":"1a","action":"stand"}}'
  post /settlement
  curl -s {socket}-w '\\n' $URL$ROUND/proof -H "Authorization: Bearer $TOKEN"

Or: {program} play --table classic-three.   Ctrl-C stops the server.
"""

CURRENCY: Final = "EUR"


def session_text(config: Config, now: int) -> str:
    """Return the session with a real token, made at `now` (microseconds since 1970).

    Raises:
        KeyFault: the token keys cannot be read.
    """
    token = TokenKeys.from_file(config.token_keys).issue(
        operator=OPERATOR,
        # New each time: a round that was left open is in nobody's way.
        player=f"ann-{now // 1_000_000 % 100_000}",
        currency=CURRENCY,
        mode="demo",
        now=now // 1_000_000,
        lifetime=_LIFETIME,
    )
    url, socket = _url(config.bind)
    return _SESSION.format(
        url=url, socket=socket, token=token, currency=CURRENCY, program=program()
    )


def listening_text(bind: str) -> str:
    """Say where the server listens.

    >>> listening_text("127.0.0.1:8000")
    'Upcard is listening on http://127.0.0.1:8000'
    >>> listening_text("unix:/run/upcard")
    'Upcard is listening on /run/upcard'
    """
    _, place = address_of(bind)
    return (
        f"Upcard is listening on {place if isinstance(place, str) else _url(bind)[0]}"
    )


def _url(bind: str) -> tuple[str, str]:
    """Return the server's URL, and curl's option for a socket in the file system."""
    _, place = address_of(bind)
    if isinstance(place, str):
        return "http://localhost", f"--unix-socket {place} "
    host = f"[{place[0]}]" if ":" in place[0] else place[0]
    return f"http://{host}:{place[1]}", ""
