"""What an operation answers, before it is bytes."""

import hashlib
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import orjson

from service.answers import Answer
from service.api.asked import Asked
from service.api.contract import PROBLEM
from service.api.operations import JSON
from service.api.problems import KINDS, Problem
from service.api.views import WAITS, events_view, round_view, seen_view
from service.recorded import Seen, Step

PRIVATE: Final = "no-store"
WAITING: Final = 202
WAITS_TAG: Final = "-waits"
"""Stands behind the version in the tag of a round that waits for a wallet."""
SHARED: Final = "no-cache"
"""May be kept, and is asked about with If-None-Match before each use."""


class Streamed(NamedTuple):
    """A body that is made while it is sent: it fits into no memory."""

    pieces: Iterator[bytes]


FRESH: Final = "max-age=1"
"""May be kept for a second."""


class Reply(NamedTuple):
    """A status, the headers by their documented names, and a body.

    The body is what JSON is made of, or JSON already, or `Streamed`, or None.
    """

    status: int
    headers: dict[str, str]
    body: Any = None


def private(body: Any, etag: str | None = None) -> Reply:  # noqa: ANN401 - JSON
    """Answer 200 with what is one player's, or for this moment only."""
    headers = {"Content-Type": JSON, "Cache-Control": PRIVATE}
    if etag is not None:
        headers["ETag"] = etag
    return Reply(200, headers, body)


def round_tag(version: int, *, waits: bool = False) -> str:
    """Return the entity tag of a round.

    A round that waits for a wallet looks otherwise than before, and its version is
    the same: what a client keeps under one tag must not stand for the other.

    >>> round_tag(3), round_tag(3, waits=True)
    ('"3"', '"3-waits"')
    """
    return f'"{version}{WAITS_TAG if waits else ""}"'


def shared(body: Any, etag: str | None = None) -> Reply:  # noqa: ANN401 - JSON
    """Answer 200 with what is the same for everybody."""
    headers = {"Content-Type": JSON, "Cache-Control": SHARED}
    if etag is not None:
        headers["ETag"] = etag
    return Reply(200, headers, body)


def fresh(body: Any, etag: str) -> Reply:  # noqa: ANN401 - JSON
    """Answer 200 with what is the same for everybody, for a second."""
    headers = {"Content-Type": JSON, "Cache-Control": FRESH, "ETag": etag}
    return Reply(200, headers, body)


def digest(body: Any) -> str:  # noqa: ANN401 - JSON
    """Return the entity tag of a body that has no version of its own."""
    return f'"{hashlib.sha256(orjson.dumps(body)).hexdigest()}"'


def unless_known(asked: Asked, reply: Reply) -> Reply:
    """Answer 304 in place of `reply` if the client has it (RFC 9110, 13.1.2)."""
    sent: str | None = asked.environ.get("HTTP_IF_NONE_MATCH")
    if sent is None:
        return reply
    tags = {tag.strip().removeprefix("W/") for tag in sent.split(",")}
    if "*" not in tags and reply.headers["ETag"] not in tags:
        return reply
    kept = {name: reply.headers[name] for name in ("ETag", "Cache-Control")}
    return Reply(304, kept)


def round_reply(asked: Asked, seen: Seen) -> Reply:
    """Answer with a round as it stands."""
    etag = round_tag(seen.version, waits=seen.waits)
    return private(seen_view(seen, asked.player.player), etag)


def command_reply(asked: Asked, answer: Answer) -> Reply:
    """Answer a command: what it made happen, and the round after it."""
    player = asked.player.player
    step = Step(answer.version, answer.at, answer.first_seq, answer.events)
    body: dict[str, Any] = {
        "round": round_view(answer.round_id, answer.version, answer.round, player),
        "events": events_view(step, player),
    }
    reply = private(body, round_tag(answer.version))
    if answer.balance is not None:
        currency = answer.round.opened.currency
        body["balance"] = {"currency": currency, "amount": answer.balance}
    if answer.jackpot is not None:
        body["jackpot"] = {
            "id": answer.jackpot.jackpot_id,
            "meter": answer.jackpot.meter,
        }
    return replayed(reply) if answer.replayed else reply


def replayed(reply: Reply) -> Reply:
    """Mark the answer to a repeat: nothing happened now."""
    reply.headers["Idempotent-Replayed"] = "true"
    return reply


def waiting_reply(asked: Asked, round_id: str, seen: Seen | None) -> Reply:
    """Answer a command whose stake is asked for; `seen` is its round, if it has one."""
    player = asked.player.player
    body: dict[str, Any] = {
        "status": WAITS,
        "round_id": round_id,
        "round": seen and seen_view(seen, player),
        "events": [],
    }
    etag = seen and round_tag(seen.version, waits=seen.waits)
    reply = private(body, etag)
    reply.headers["Retry-After"] = "1"
    return reply._replace(status=WAITING)


def done() -> Reply:
    """Answer 204: it is so now."""
    return Reply(204, {"Cache-Control": PRIVATE})


def problem_reply(asked: Asked, problem: Problem) -> Reply:
    """Answer with a problem."""
    headers = {"Content-Type": PROBLEM, "Cache-Control": PRIVATE, **problem.headers}
    return Reply(KINDS[problem.code].status, headers, problem.body(asked.id))
