"""A well-mannered client: requests that a front-end would make, of what it was told.

Left alone, schemathesis would name rounds that are not there and actions that are not
legal. Nine times in ten this puts in a live round, its last ETag and a body out of its
`legal_actions`; the tenth request goes out as it was generated. Where no round waits
for such a command, the client first plays until one does, in requests of its own.
"""

import json
import os
import random
import uuid
from operator import itemgetter
from typing import Any, Final

import requests
from schemathesis import Case
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response

from tests.contract.fuzzing.people import People, is_signed
from tests.contract.fuzzing.platform import Platform

# What each command needs the round to wait for.
COMMANDS: Final = {
    "insure_round": "insurance",
    "act_on_round": "playing",
    "settle_round": "awaiting_settlement",
}
LIVE: Final = tuple(COMMANDS.values())
ENDED: Final = ("settled", "void", "malfunction")
TABLES: Final = ("progressive-five", "classic-three", "american-five")
_SIGNED: Final[list[dict[str, list[str]]]] = [{"operator_signature": []}]
_MONTH: Final = {"from": "2026-03-01", "to": "2026-03-31"}
_PUBLIC: Final = frozenset(
    {"list_tables", "get_table", "get_strategy", "list_jackpots", "get_jackpot"}
)
_OPERATOR: Final = "dev"
_MALFUNCTION: Final = "malfunction_round"
_JACKPOT: Final = "aces-usd"
_ROUND_READS: Final = frozenset(
    {"get_round", "list_events", "get_proof", "get_history"}
)
_WITH_MOMENTS: Final = frozenset(
    {"list_significant_events", "list_history", "list_player_history"}
)
_WITH_DAYS: Final = frozenset(
    {"get_turnover_report", "export_history", "export_player_history"}
)
_MANNERED: Final = 0.9
_AGAIN: Final = 0.2
"""Of the deals so many bet the same again."""
_PATIENCE: Final = 60
"""Moves until a round is where it should be; one deal in three offers insurance."""


def operation_of(case: Case[Any]) -> str:
    """Return the operationId of a case."""
    return str(case.operation.definition.raw["operationId"])


def is_operators(case: Case[Any]) -> bool:
    """Tell whether a case is for an operator, who signs it."""
    return bool(case.operation.definition.raw.get("security") == _SIGNED)


def is_negative(case: Case[Any], *places: ParameterLocation) -> bool:
    """Tell whether one of the places was made to break the contract."""
    meta = case.meta
    return meta is not None and any(meta.is_negative_at(place) for place in places)


class Client:
    """What a client of this run has been told, and what it asks next."""

    def __init__(self, people: People) -> None:
        self._people = people
        self._platform = Platform(people)
        self.rounds: dict[str, dict[str, Any]] = {}
        """The last that was seen of each round."""
        self.owners: dict[str, str] = {}
        """Whose each round is: the Authorization header that it was dealt to."""
        self.versions_before: dict[str, int] = {}
        """Per case: the version of its round before, 0 for one that is new."""
        self.pages: list[dict[str, Any]] = []
        """The queries of pages that can be asked for."""
        self._session = requests.Session()
        self._chance = random.Random(7)  # noqa: S311 - the same choices in every run

    def prepare(self, case: Case[Any]) -> None:
        """Make a generated request a reasonable one."""
        operation = operation_of(case)
        if not is_negative(case, ParameterLocation.BODY):
            case.body = whole(case.body)
        if case.method == "POST" and not is_negative(case, ParameterLocation.HEADER):
            case.headers["Idempotency-Key"] = self._key()
        if not str(case.headers.get("If-None-Match", "")).isprintable():
            del case.headers["If-None-Match"]  # HTTP has no place for such a value
        is_good = not is_negative(case, *ParameterLocation)
        if is_good:
            if operation == _MALFUNCTION and isinstance(case.body, dict):
                # Nobody could enable the table again.
                case.body.pop("disable_table", None)
            self._page(case, operation)
            if self._chance.random() < _MANNERED:
                self._mannerly(case, operation)

    def _mannerly(self, case: Case[Any], operation: str) -> None:
        if is_operators(case):
            players = {id_: self._player(caller) for id_, caller in self.owners.items()}
            self._platform.prepare(case, operation, players)
        elif operation == "refresh_session":
            person = self._people.players.get(str(case.headers.get("Authorization")))
            if person is not None:
                case.path_parameters["session_id"] = person.session
        elif operation == "set_limit":
            person = self._people.players.get(str(case.headers.get("Authorization")))
            if person is not None:
                case.body = self._platform.confirmed_limit(person.player)
        elif operation in COMMANDS:
            self._command(case, operation)
        elif operation == "deal_round":
            self._deal(case)
        elif operation in _PUBLIC:
            self._public(case, operation)
        elif operation in _ROUND_READS:
            self._read(case, ended=operation == "get_proof")

    def _public(self, case: Case[Any], operation: str) -> None:
        if operation != "get_strategy":
            case.query["operator"] = _OPERATOR
        if operation == "get_jackpot":
            case.path_parameters["jackpot_id"] = _JACKPOT
        elif "table_id" in case.path_parameters:
            case.path_parameters["table_id"] = self._chance.choice(TABLES)

    def learn(self, case: Case[Any], response: Response) -> None:
        """Remember what an answer tells of rounds."""
        body = json_of(response)
        self._platform.learn(response, body)
        if operation_of(case) == "list_open_rounds" and (body or {}).get("next_cursor"):
            self.pages.append({**case.query, "cursor": body["next_cursor"]})
        for round_ in rounds_in(body):
            known = self.rounds.get(round_["id"])
            self.versions_before[case.id] = known["version"] if known else 0
            if known or not is_signed(response.request):
                caller = response.request.headers["Authorization"]
                self._remember(round_, str(caller))

    def _key(self) -> str:
        return str(uuid.UUID(int=self._chance.getrandbits(128), version=4))

    def _player(self, caller: str) -> str:
        """Return who asks with an Authorization header."""
        return self._people.players[caller].player

    def _rounds(self, caller: str, *statuses: str) -> list[dict[str, Any]]:
        """Return a caller's rounds with one of the statuses, or all of them."""
        return [
            round_
            for id_, round_ in self.rounds.items()
            if self.owners[id_] == caller
            if not statuses or round_["status"] in statuses
        ]

    def _command(self, case: Case[Any], operation: str) -> None:
        caller = str(case.headers.get("Authorization"))
        waiting = self._play_until(caller, COMMANDS[operation])
        linked = [r for r in waiting if r["id"] == case.path_parameters.get("round_id")]
        if not waiting:
            return
        self._refill(caller)
        round_ = (linked or [self._chance.choice(waiting)])[0]
        case.path_parameters["round_id"] = round_["id"]
        case.headers["If-Match"] = f'"{round_["version"]}"'
        _, body = self._move(round_)
        if body is not None:
            case.body = body

    def _move(self, round_: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
        """Choose a legal action; return where it goes and its body."""
        legal = self._chance.choice(round_["legal_actions"])
        match legal["command"]:
            case "insure":
                return "insurance", {"boxes": legal["boxes"]}
            case "act":
                return "actions", {"hand": legal["hand"], "action": legal["action"]}
            case _:
                return "settlement", None

    def _wagers(self, table: str) -> dict[str, Any]:
        places = self._chance.sample([1, 2, 3], self._chance.randint(1, 3))
        boxes: list[dict[str, int]] = [
            {"box": box, "wager": 100 * self._chance.randint(2, 100)}
            for box in sorted(places)
        ]
        if table == "progressive-five" and self._chance.random() < 0.5:
            boxes[0]["bonus_wager"] = 100
        return {"table_id": table, "currency": "USD", "boxes": boxes}

    def _free_tables(self, caller: str) -> list[str]:
        busy = {round_["table_id"] for round_ in self._rounds(caller, *LIVE)}
        return [table for table in TABLES if table not in busy]

    def _deal(self, case: Case[Any]) -> None:
        caller = str(case.headers.get("Authorization"))
        self._refill(caller)
        if not self._free_tables(caller):
            for round_ in self._play_until(caller, "awaiting_settlement")[:1]:
                self._ask(
                    caller, f"/{round_['id']}/settlement", None, round_["version"]
                )
        table = self._chance.choice(self._free_tables(caller) or TABLES)
        case.body = self._wagers(table)
        if self._chance.random() < _AGAIN:
            del case.body["boxes"]
            case.body["rebet"] = True

    def _play_until(self, caller: str, status: str) -> list[dict[str, Any]]:
        """Return the caller's rounds with a status, playing until there is one."""
        for _ in range(_PATIENCE):
            if found := self._rounds(caller, status):
                return found
            free = self._free_tables(caller)
            if free:
                done = self._ask(caller, "", self._wagers(self._chance.choice(free)))
            else:
                round_ = self._chance.choice(self._rounds(caller, *LIVE))
                path, body = self._move(round_)
                done = self._ask(
                    caller, f"/{round_['id']}/{path}", body, round_["version"]
                )
            if not done:
                break
        return []

    def _ask(
        self, caller: str, path: str, body: dict[str, Any] | None, version: int = 0
    ) -> bool:
        """Send a command of the client's own; tell whether it was accepted.

        Money is refilled first: a run is longer than what a player begins with.
        """
        self._refill(caller)
        headers = {"Authorization": caller, "Idempotency-Key": self._key()}
        if version:
            headers["If-Match"] = f'"{version}"'
        url = os.environ["UPCARD_FUZZING_URL"] + "/v1/rounds" + path
        answer = self._session.post(url, json=body, headers=headers, timeout=5)
        if answer.ok:
            self._remember(answer.json()["round"], caller)
        return answer.ok

    def _refill(self, caller: str) -> None:
        headers = {"Authorization": caller, "Idempotency-Key": self._key()}
        url = os.environ["UPCARD_FUZZING_URL"] + "/v1/balance/refill"
        self._session.post(url, headers=headers, timeout=5)

    def _remember(self, round_: dict[str, Any], caller: str) -> None:
        known = self.rounds.get(round_["id"], round_)
        # A replay shows the round as it was.
        self.rounds[round_["id"]] = max(known, round_, key=itemgetter("version"))
        self.owners.setdefault(round_["id"], caller)

    def _read(self, case: Case[Any], *, ended: bool) -> None:
        if case.path_parameters.get("round_id") in self.rounds:
            return
        caller = str(case.headers.get("Authorization"))
        mine = self._rounds(caller, *(ENDED if ended else ()))
        if mine:
            case.path_parameters["round_id"] = self._chance.choice(mine)["id"]

    def _page(self, case: Case[Any], operation: str) -> None:
        # No generated text is a cursor that somebody was given, with these parameters.
        if "cursor" in case.query:
            del case.query["cursor"]
            if self.pages and operation == "list_open_rounds":
                case.query = dict(self.pages[-1])
        # Nor are two generated days in order, or near each other.
        if operation in _WITH_MOMENTS:
            moments = {day: f"{at}T00:00:00Z" for day, at in _MONTH.items()}
            case.query |= {k: moments[k] for k in moments if k in case.query}
        if operation in _WITH_DAYS:
            case.query |= _MONTH


def whole(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Write 3.0 as 3: to JSON Schema that is an integer, to the service it is not."""
    if isinstance(value, dict):
        return {key: whole(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [whole(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def json_of(response: Response) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON of an answer; None where there is none."""
    try:
        return json.loads(response.content or b"null")
    except ValueError:
        return None


def rounds_in(body: object) -> list[dict[str, Any]]:
    """Return the rounds that an answer shows in full."""
    if not isinstance(body, dict):
        return []
    if "legal_actions" in body and "commitment" in body:
        return [body]
    if isinstance(body.get("items"), list):
        return [item for item in body["items"] if "commitment" in item]
    found = body.get("round")
    return [found] if isinstance(found, dict) else []
