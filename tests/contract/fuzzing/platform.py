"""A well-mannered platform: what an operator would ask about players that there are."""

import os
import random
import uuid
from collections.abc import Mapping
from typing import Any, Final

import requests
from schemathesis import Case
from schemathesis.core.transport import Response

from tests.contract.fuzzing.people import People, is_signed

_MOST_WAGER: Final = 1_000_000
_GUEST: Final = "carol"
"""A player whom nobody plays: he is blocked, and his money comes and goes."""
_MONEY: Final = {"deposit_money": "deposits", "withdraw_money": "withdrawals"}
_LAUNCH: Final = {"player_id": _GUEST, "currency": "USD", "language": "en"}


class Platform:
    """What an operator's platform of this run has been told, and what it asks next."""

    def __init__(self, people: People) -> None:
        self._people = people
        self._sessions: list[str] = []
        """Those that may be ended: the players keep theirs."""
        self._http = requests.Session()
        self._chance = random.Random(5)  # noqa: S311 - the same choices in every run

    def prepare(
        self, case: Case[Any], operation: str, rounds: Mapping[str, str]
    ) -> None:
        """Make a generated request a reasonable one; `rounds` have their players."""
        if operation in _MONEY:
            case.path_parameters["player_id"] = _GUEST
            case.body = self._money()
            self._ask("POST", f"/v1/players/{_GUEST}/deposits", self._money())
        elif operation in {"block_player", "unblock_player", "set_pin"}:
            case.path_parameters["player_id"] = _GUEST
        elif operation == "create_session":
            case.body = {**_LAUNCH, "mode": self._chance.choice(["real", "demo"])}
        elif operation == "end_session":
            case.path_parameters["session_id"] = self._session()
        elif "player_id" in case.path_parameters:
            person = self._chance.choice(list(self._people.players.values()))
            case.path_parameters["player_id"] = person.player
            case.query["mode"] = "demo"
            if "currency" in case.query:
                case.query["currency"] = "USD"
            if rounds and "round_id" in case.path_parameters:
                round_id = self._chance.choice(list(rounds))
                case.path_parameters["round_id"] = round_id
                case.path_parameters["player_id"] = rounds[round_id]

    def confirmed_limit(self, player: str) -> dict[str, Any]:
        """Return a limit that hinders no wager, with a PIN that was set just now.

        Generated requests try PINs that are wrong, until it is locked.
        """
        pin = f"{self._chance.randrange(10**12):012}"
        self._ask("PUT", f"/v1/players/{player}/pin", {"pin": pin})
        return {"currency": "USD", "maximum": _MOST_WAGER, "pin": pin}

    def learn(self, response: Response, body: object) -> None:
        """Remember a session that was opened."""
        if is_signed(response.request) and isinstance(body, dict) and "token" in body:
            self._sessions.append(body["session_id"])

    def _session(self) -> str:
        if not self._sessions:
            self._ask("POST", "/v1/sessions", {**_LAUNCH, "mode": "demo"})
        return self._sessions.pop()

    def _money(self) -> dict[str, Any]:
        amount = self._chance.randint(1, 1000)
        return {"currency": "USD", "amount": amount, "reference": self._key()}

    def _key(self) -> str:
        return str(uuid.UUID(int=self._chance.getrandbits(128), version=4))

    def _ask(self, method: str, path: str, body: dict[str, Any]) -> None:
        """Send a request of the platform's own, which must be accepted."""
        url = os.environ["UPCARD_FUZZING_URL"] + path
        headers = {"Idempotency-Key": self._key()}
        signer = self._people.signers[0]
        answer = self._http.request(
            method, url, json=body, headers=headers, auth=signer, timeout=5
        )
        assert answer.ok, answer.text
        if answer.content and "token" in answer.json():
            self._sessions.append(answer.json()["session_id"])
