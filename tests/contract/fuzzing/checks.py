"""What only we know of a blackjack round, each as a sentence for when it is broken."""

import random
from collections import Counter
from typing import Any, Final

import requests
from schemathesis import Case
from schemathesis.core.transport import Response

from tests.contract.fuzzing.manners import Client, json_of, operation_of, rounds_in
from tests.contract.fuzzing.people import People
from tests.contract.fuzzing.shoes import Shoes

_REPEATED: Final = 0.2
_PRIED: Final = 0.1
_chance: Final = random.Random(11)  # noqa: S311 - the same choices in every run
_shoes: Final = Shoes()
# What is made anew each time, and so is no command.
_UNKEYED: Final = "refresh_session"
_settled: Final[dict[str, Any]] = {}


def is_accepted(case: Case[Any], response: Response) -> bool:
    """Tell whether an answer is that of a command that was accepted now."""
    replayed = "idempotent-replayed" in response.headers
    is_command = case.method == "POST" and operation_of(case) != _UNKEYED
    return is_command and 200 <= response.status_code < 300 and not replayed


def idempotent_replay(case: Case[Any], response: Response, people: People) -> None:
    """One accepted command in five is sent again."""
    if is_accepted(case, response) and _chance.random() < _REPEATED:
        repeat(response, people)


def repeat(response: Response, people: People) -> None:
    """A repeat, byte for byte, has the same answer and says that it is one."""
    with requests.Session() as session:
        again = session.send(people.again(response.request), timeout=5)
    assert again.status_code == response.status_code, f"repeat: {again.status_code}"
    assert again.headers.get("Idempotent-Replayed") == "true", "repeat: not marked"
    etag = response.headers.get("etag", [None])
    assert [again.headers.get("ETag")] == etag, "repeat: ETag"
    assert again.json() == json_of(response), "repeat: another answer"


def others_see_nothing(case: Case[Any], response: Response, people: People) -> None:
    """One good request in ten for a round or session is sent by somebody else, too."""
    is_owned = "{round_id}" in case.path or "{session_id}" in case.path
    if is_owned and 200 <= response.status_code < 300 and _chance.random() < _PRIED:
        for theirs in people.others(response.request):
            pry(theirs)


def pry(request: requests.PreparedRequest) -> None:
    """What belongs to one is answered to another as if there were none."""
    with requests.Session() as session:
        answer = session.send(request, timeout=5)
    assert answer.status_code == 404, f"somebody else is told {answer.status_code}"


def version_grows_by_one(client: Client, case: Case[Any], response: Response) -> None:
    """An accepted command makes the next version; nothing else makes any."""
    rounds = rounds_in(json_of(response))
    if len(rounds) != 1:
        return
    before = client.versions_before[case.id]
    after = rounds[0]["version"]
    if is_accepted(case, response):
        assert after == before + 1, f"accepted: version {before} became {after}"
    else:
        assert before in {0, after}, f"nothing accepted: version {before} is {after}"


def settled_is_final(response: Response) -> None:
    """A settled round never changes, but when its operator takes it back."""
    for round_ in rounds_in(json_of(response)):
        if round_["status"] == "malfunction":
            then = _settled.pop(round_["id"], round_)
            kept = ("hands", "boxes", "dealer", "stake", "closed_at")
            assert [then[k] for k in kept] == [round_[k] for k in kept]
        elif round_["status"] == "settled":
            then = _settled.setdefault(round_["id"], round_)
            assert then == round_, f"settled round {round_['id']} has changed"
        else:
            assert round_["id"] not in _settled, "a settled round is open again"


def wins_are_capped(response: Response) -> None:
    """No hand pays more than the max win, and the parts make up the payout."""
    for round_ in rounds_in(json_of(response)):
        cap = round_["max_win"]
        for hand in round_["hands"]:
            if (
                cap is not None
                and cap["basis"] == "hand"
                and hand["payout"] is not None
            ):
                assert hand["payout"] <= cap["amount"], "a hand pays above the max win"
        if round_["status"] == "malfunction":
            assert round_["payout"] == round_["stake"], "payout"
        elif round_["payout"] is not None:
            paid = [hand["payout"] for hand in round_["hands"]]
            for box in round_["boxes"]:
                paid += [
                    part["payout"] for part in (box["insurance"], box["bonus"]) if part
                ]
            assert round_["payout"] == sum(amount or 0 for amount in paid), "payout"


def nothing_is_hidden_badly(case: Case[Any], response: Response) -> None:
    """An answer shows the cards that were dealt face up, and no others, in any part."""
    text = response.content + str(response.headers).encode()
    for round_ in rounds_in(json_of(response)):
        salt, order = _shoes.of(round_["commitment"])
        assert salt.hex().encode() not in text, "the salt is told before the proof"
        shown = Counter(card for hand in round_["hands"] for card in hand["cards"])
        shown.update(round_["dealer"]["cards"])
        is_down = round_["dealer"]["hole_card"] == "face_down"
        dealt = list(order[: shown.total() + is_down])
        if is_down:
            assert len(round_["dealer"]["cards"]) == 1, "the dealer shows two cards"
            del dealt[2 * len(round_["boxes"]) + 1]
        assert shown == Counter(dealt), "other cards are shown than were dealt face up"
        ahead = "".join(order[shown.total() + 1 :][:8])
        assert ahead.encode() not in text, "coming cards are told"
        if operation_of(case) != "list_events" and "events" in (
            json_of(response) or {}
        ):
            told = json_of(response)["events"]
            revealed = any(event["type"] == "hole_card_revealed" for event in told)
            assert not (revealed and is_down), "an event tells the hole card"
