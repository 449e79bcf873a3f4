"""Sessions: an operator launches a player, the player stays, the operator ends it."""

from typing import Any, Final

from service.api.asked import Asked
from service.api.endpoint import MILLION, Api
from service.api.problems import Problem
from service.api.reply import Reply, done, private, replayed
from service.api.schemas import LAUNCH, LaunchBody
from service.api.tokens import account_of
from service.api.views import time_text
from service.chance import new_id
from service.currencies import is_currency
from service.refusals import KeyReused, SessionOver
from service.store import sessions
from service.store.sessions import Launch, Session, find_session, open_session

SESSION_SECONDS: Final = 12 * 60 * 60
"""How long a session may last."""
TOKEN_SECONDS: Final = 15 * 60
"""How long a token of a session is good; then the player refreshes it."""


def create_session(api: Api, asked: Asked) -> Reply:
    """Launch a player: where to send him, and his first token."""
    body: LaunchBody = LAUNCH.load(asked.body)
    check_currency(body.currency)
    if body.mode == "real":
        refuse_sandbox(api, asked)
    _refuse_unplayable(api, body)
    launch = Launch(
        account=account_of(asked.operator, body.player_id, body.mode),
        session_id=new_id(),
        operator=asked.operator,
        player=body.player_id,
        currency=body.currency,
        mode=body.mode,
        tables=body.tables,
        language=body.language,
        return_url=body.return_url,
        key=asked.key,
        request=asked.digest,
        seconds=SESSION_SECONDS,
    )
    session, was_open = open_session(api.database, launch)
    if session.request != asked.digest:
        raise KeyReused(asked.key)
    reply = _launched(api, asked, session)
    return replayed(reply) if was_open else reply


def refresh_session(api: Api, asked: Asked) -> Reply:
    """Give the player of a session that is not over a new token."""
    caller = asked.player
    now, session = find_session(api.database, caller.account, caller.session)
    if session is None or session.session_id != asked.path["session_id"]:
        raise _not_found()
    if session.is_over(now):
        raise SessionOver(session.session_id)
    return private(_tokened(api, session, now // MILLION))


def end_session(api: Api, asked: Asked) -> Reply:
    """End a session of the operator's: no new round is dealt in it."""
    if not sessions.end_session(api.database, asked.operator, asked.path["session_id"]):
        raise _not_found()
    return done()


def session_view(session: Session) -> dict[str, Any]:
    """Return a session as its player and its operator see it."""
    return {
        "session_id": session.session_id,
        "player_id": session.player,
        "currency": session.currency,
        "mode": session.mode,
        "tables": session.tables,
        "language": session.language,
        "return_url": session.return_url,
        "opened_at": time_text(session.opened_at),
        "expires_at": time_text(session.expires_at),
    }


def check_currency(currency: str) -> None:
    """Raise Problem `currency_unknown` for what is no currency of ISO 4217."""
    if not is_currency(currency):
        detail = f"{currency} is no currency of ISO 4217 that players can have."
        raise Problem("currency_unknown", detail)


def refuse_sandbox(api: Api, asked: Asked) -> None:
    """Raise Problem `sandbox_only` for an operator without real money."""
    if api.wallets.operator(asked.operator).sandbox:
        detail = "This operator is a sandbox: its players play for demo money alone."
        raise Problem("sandbox_only", detail)


def _refuse_unplayable(api: Api, body: LaunchBody) -> None:
    """Raise Problem `currency_not_offered` if the player could not deal anywhere.

    Raises TableNotFound for a table that is named and not there.
    """
    named = [api.catalog.table(table_id) for table_id in body.tables or ()]
    tables = named or api.catalog.current()
    if any(body.currency in table.limits for table in tables):
        return
    offered = ", ".join(sorted({code for table in tables for code in table.limits}))
    code, detail = "currency_not_offered", f"These tables offer {offered or 'nothing'}."
    error = {"pointer": "/currency", "code": code, "detail": detail}
    raise Problem(code, detail, errors=[error])


def _launched(api: Api, asked: Asked, session: Session) -> Reply:
    tokened = _tokened(api, session, session.opened_at // MILLION)
    page = api.launch_url or f"{asked.request.host_url}play"
    # In the fragment, which no browser sends to a server and no server logs.
    body = {**session_view(session), **tokened}
    body["launch_url"] = f"{page}#token={body['token']}"
    reply = private(body)
    reply.headers["Location"] = f"/v1/sessions/{session.session_id}"
    return reply._replace(status=201)


def _tokened(api: Api, session: Session, now: int) -> dict[str, Any]:
    """Return a token that is made at `now`, in seconds since 1970 UTC."""
    token = api.tokens.issue(
        operator=session.operator,
        player=session.player,
        currency=session.currency,
        mode="demo" if session.mode == "demo" else "real",
        now=now,
        lifetime=TOKEN_SECONDS,
        session=session.session_id,
    )
    return {
        "session_id": session.session_id,
        "token": token,
        "token_expires_at": time_text((now + TOKEN_SECONDS) * MILLION),
        "expires_at": time_text(session.expires_at),
    }


def _not_found() -> Problem:
    return Problem("session_not_found", "There is no such session.")
