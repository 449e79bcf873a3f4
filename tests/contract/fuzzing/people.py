"""Who asks in a run: two operators who sign, and two players of the first one."""

import json
import os
import time
import uuid
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from requests import PreparedRequest
from requests.auth import AuthBase
from urllib3.util import parse_url

from service.operators import signature

_PEOPLE: Final = "UPCARD_FUZZING_PEOPLE"
_KEY: Final = "Upcard-Key"


class Signer(AuthBase):
    """Signs requests with an operator's key, each with a nonce of its own."""

    def __init__(self, key: str, secret: str) -> None:
        self.key: Final = key
        self._secret = secret

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        """Put the four headers on a request that is ready to be sent."""
        timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
        target = parse_url(str(request.url)).request_uri
        body = request.body or b""
        assert isinstance(body, bytes | str), "the requests of a run are not streams"
        raw = body.encode() if isinstance(body, str) else body
        head = f"{request.method}\n{target}\n{timestamp}\n{nonce}\n"
        signed = signature(self._secret, head.encode() + raw)
        request.headers[_KEY] = self.key
        request.headers["Upcard-Timestamp"] = timestamp
        request.headers["Upcard-Nonce"] = nonce
        request.headers["Upcard-Signature"] = signed
        return request


class Person(NamedTuple):
    """A player: what his requests bear, his name, and his session."""

    authorization: str
    player: str
    session: str


class People:
    """The people of a run, out of the file that its server wrote."""

    @cached_property
    def _told(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(Path(os.environ[_PEOPLE]).read_text("utf-8"))
        return told

    @cached_property
    def players(self) -> dict[str, Person]:
        """The players by what their requests bear."""
        people = (Person(*person) for person in self._told["players"])
        return {person.authorization: person for person in people}

    @cached_property
    def signers(self) -> list[Signer]:
        """The operators: the first one's are the players."""
        return [Signer(*operator) for operator in self._told["operators"]]

    def again(self, request: PreparedRequest) -> PreparedRequest:
        """Return a request to be sent once more: a signature is good once."""
        request = request.copy()
        if is_signed(request):
            for signer in self.signers:
                if signer.key == request.headers[_KEY]:
                    return signer(request)
        return request

    def others(self, request: PreparedRequest) -> list[PreparedRequest]:
        """Return a request as all others of its sender's kind would send it."""
        if is_signed(request):
            return [
                signer(request.copy())
                for signer in self.signers
                if signer.key != request.headers[_KEY]
            ]
        found = []
        for person in self.players.values():
            if person.authorization != request.headers["Authorization"]:
                theirs = request.copy()
                theirs.headers["Authorization"] = person.authorization
                theirs.headers["Idempotency-Key"] = str(uuid.uuid4())
                found.append(theirs)
        return found


def is_signed(request: PreparedRequest) -> bool:
    """Tell whether an operator sent a request."""
    return _KEY in request.headers


def write_people(
    folder: Path, players: list[Person], operators: list[tuple[str, str]]
) -> None:
    """Write down who there is, for a run to read."""
    told = {"players": players, "operators": operators}
    people_in(folder).write_text(json.dumps(told), "utf-8")


def people_in(folder: Path) -> Path:
    """Return where it stands who there is."""
    return folder / "people.json"
