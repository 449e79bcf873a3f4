"""A player: deals, splits, doubles, insures and settles, whatever goes wrong."""

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import orjson

from service.audit import verify
from service.chance import new_id
from tests.chaos.cashier import Cashier
from tests.chaos.line import PATIENCE, Counts, Line, NoAnswer, Reply, Request
from tests.chaos.plan import NETWORK, OPERATORS, Plan, traits_of
from tests.chaos.story import story_of
from tests.chaos.strategy import chosen, wagers
from tests.chaos.witness import Answered, Ended, Receipt, Witness

_BAD: Final = 0.08
"""The part of all commands that the network does something to."""
_GOES: Final = 0.01
"""The part of all commands whose sender goes, and comes back without his key."""
_STAYS_AWAY: Final = 0.25
"""The part of the commands without a known answer that are left to the jobs."""
_AWAY_SECONDS: Final = 13.0
_REFRESH_SECONDS: Final = 480.0
"""Well within the life of a token."""
_MORE: Final = 3_000
_PROOFS: Final = 2
"""Rounds of each player that are proven in full; each row's hash is, of all."""

_Json = dict[str, Any]


class Bank(Protocol):
    """Where a player's money comes from."""

    def bring(self, player: str, currency: str, amount: int) -> Receipt:
        """Put money into the operator's own wallet, once."""
        ...


class Gone(Exception):
    """The player went in the middle of a command and has forgotten its key."""


class Table(Protocol):
    """What all players share."""

    @property
    def plan(self) -> Plan:
        """What the seed says."""
        ...

    @property
    def counts(self) -> Counts:
        """What happened, counted."""
        ...

    def is_open(self, operator: str) -> bool:
        """Whether another round is to be begun by an operator's player."""
        ...

    def has_ended(self, operator: str) -> None:
        """Count a round that has been played to its end."""
        ...


class Player(threading.Thread):
    """Plays one round after the other, each to its end."""

    def __init__(
        self, number: int, table: Table, line: Line, cashier: Cashier, bank: Bank
    ) -> None:
        super().__init__(name=f"p{number:02}", daemon=True)
        self.witness: Final = Witness(self.name, traits_of(number))
        self._table = table
        self._line = line
        self._cashier = cashier
        self._bank = bank
        self._chance = table.plan.chance(self.name)
        self._token = ""
        self._token_at = -_REFRESH_SECONDS

    def run(self) -> None:
        """Play until the table closes."""
        try:
            self._bring(self.witness.traits.funds)
            while self._table.is_open(self.witness.traits.operator):
                try:
                    self._play_round()
                except Gone:
                    self._table.counts.add("players who went in mid-command")
                    self._resume()
        except (NoAnswer, AssertionError, LookupError, TypeError, ValueError) as error:
            self.witness.faults.append(f"{type(error).__name__}: {error}"[:300])
        finally:
            self._line.close()

    def come_back(self) -> None:
        """Finish what was left open, and look at what is left."""
        self._token_at = -_REFRESH_SECONDS
        try:
            self._resume()
            for round_id, ended in list(self.witness.rounds.items()):
                if ended is None:
                    self._note(self._read(f"/v1/rounds/{round_id}"))
            for round_id in list(self.witness.rounds)[:_PROOFS]:
                proven = verify(self._read(f"/v1/rounds/{round_id}/proof"))
                assert proven.ok, proven
            while self.witness.funds is None:  # a slow wallet does not tell at once
                self.witness.funds = self._read("/v1/balance")["amount"]
        except (NoAnswer, AssertionError, LookupError, TypeError, ValueError) as error:
            self.witness.faults.append(f"{type(error).__name__}: {error}"[:300])
        finally:
            self._line.close()

    def _play_round(self) -> None:
        traits = self.witness.traits
        table = self._chance.choice(traits.tables)
        body = {"table_id": table, "currency": traits.currency}
        boxes = wagers(self._chance, table, traits.funds)
        reply = self._command("/v1/rounds", {**body, "boxes": boxes}, None)
        if reply.status == 201:
            self._play_out(reply.body["round"])
            return
        match reply.body["code"]:
            case "insufficient_funds":
                self._bring(_MORE)
            case "player_stopped":
                self._line.pause(1.0)
            case "wallet_pending" | "round_open_exists" if self.witness.forgotten:
                self._line.pause(1.0)
                self._resume()
            case _:
                raise AssertionError(f"a deal was refused: {reply.body}")

    def _play_out(self, round_: _Json) -> None:
        """Play a round to its end."""
        legal: Sequence[_Json] = round_["legal_actions"]
        while legal:
            path, body = chosen(self._chance, round_, legal)
            path = f"/v1/rounds/{round_['id']}/{path}"
            reply = self._command(path, body, round_["version"])
            match reply.status:
                case 200:
                    round_ = reply.body["round"]
                    legal = round_["legal_actions"]
                case 402:
                    legal = reply.body["legal_actions"]
                    assert legal, "nothing is left to do that costs nothing"
                case 403:
                    assert reply.body["code"] == "player_stopped", reply.body
                    legal = [one for one in legal if not one["cost"]]
                case 412 if self.witness.forgotten:
                    round_ = reply.body["round"]
                    legal = round_["legal_actions"]
                case 409 if self.witness.forgotten:
                    assert reply.body["code"] == "wallet_pending", reply.body
                    raise Gone
                case _:
                    raise AssertionError(f"{path} {body} was refused: {reply.body}")
        self._note(round_)
        self._table.has_ended(self.witness.traits.operator)

    def _resume(self) -> None:
        """Find the rounds that are open, and play them to their ends."""
        deadline = time.monotonic() + PATIENCE
        while found := self._read("/v1/rounds?status=open&limit=100")["items"]:
            for round_ in found:
                self.witness.rounds.setdefault(round_["id"], None)
            if time.monotonic() > deadline:
                raise NoAnswer(f"{found[0]['id']} stays {found[0]['status']}")
            ready = [one for one in found if one["status"] != "wallet_pending"]
            if not ready:
                self._line.pause(1.0)
            for round_ in ready:
                try:
                    self._play_out(round_)
                except Gone:
                    self._table.counts.add("players who went in mid-command")

    def _note(self, round_: _Json) -> None:
        assert round_["status"] == "settled", round_["status"]
        ended = Ended(round_["stake"], round_["payout"])
        self.witness.rounds[round_["id"]] = ended

    def _command(self, path: str, body: object, version: int | None) -> Reply:
        """Send a command under one key until it is answered. Raises Gone."""
        key = new_id()
        sent = {"Idempotency-Key": key, "Content-Type": "application/json"}
        if version is not None:
            sent["If-Match"] = f'"{version}"'
        content = b"" if body is None else orjson.dumps(body)
        bad, goes = self._chance.random() < _BAD, self._chance.random() < _GOES
        fault = self._chance.choice(NETWORK)
        request = Request("POST", path, lambda: {**self._allowed(), **sent}, content)
        if goes and self._table.is_open(self.witness.traits.operator):
            self.witness.forgotten.add(key)
            self._line.badly(fault, request)
            raise Gone
        reply = self._line.surely(request, fault if bad else None, self._wait_for_jobs)
        self._remember(key, reply)
        return reply

    def _remember(self, key: str, reply: Reply) -> None:
        self._table.counts.add(f"answers: {reply.status}")
        if reply.replayed:
            self._table.counts.add("answers: replayed")
        if reply.status not in {200, 201}:
            self.witness.refused.add(key)
            return
        round_, balance = reply.body["round"], reply.body.get("balance")
        assert balance is None or balance["currency"] == round_["currency"]
        self.witness.rounds.setdefault(round_["id"], None)
        self.witness.answers.append(
            Answered(
                *(key, round_["id"], round_["version"]),
                text=story_of(reply.body["events"]).text,
                balance=balance and balance["amount"],
            )
        )

    def _wait_for_jobs(self) -> float:
        if self._chance.random() < _STAYS_AWAY:
            self._table.counts.add("players who left a command to the jobs")
            return _AWAY_SECONDS
        return 1.0

    def _read(self, path: str) -> _Json:
        reply = self._line.surely(Request("GET", path, self._allowed))
        assert reply.status == 200, reply
        found: _Json = reply.body
        return found

    def _allowed(self) -> Mapping[str, str]:
        """Return the token's header; launch anew before the token has expired."""
        if time.monotonic() - self._token_at > _REFRESH_SECONDS:
            began = time.monotonic()
            traits = self.witness.traits
            self._token = self._cashier.launch(self.name, traits.currency)["token"]
            self._token_at = began
        return {"Authorization": f"Bearer {self._token}"}

    def _bring(self, amount: int) -> None:
        """Have more money brought, as his operator does that."""
        traits = self.witness.traits
        if OPERATORS[traits.operator] == "seamless":
            receipt = self._bank.bring(self.name, traits.currency, amount)
        else:
            reference = f"{self.name}-{len(self.witness.receipts)}"
            where = (self.name, traits.currency, amount, reference)
            reply = self._cashier.move("deposits", *where)
            assert reply.status == 200, reply
            receipt = Receipt(reference, amount, reply.body["balance"])
        self.witness.receipts.append(receipt)
