"""What a deal has to know first: who may put money in, and under which limits."""

from typing import Final, NamedTuple

from service.store.database import Database
from service.store.rows import LogRow

_STOPPED: Final = """
SELECT CASE WHEN operator = '*' THEN 'everybody'
    WHEN player = '*' THEN 'operator' ELSE 'player' END
FROM stop WHERE operator IN ('*', %s) AND player IN ('*', %s)
ORDER BY operator, player LIMIT 1
"""

_STOP: Final = """
INSERT INTO stop (operator, player, why) VALUES (%s, %s, %s)
ON CONFLICT (operator, player) DO NOTHING
"""

_STOP_AGAIN: Final = """
UPDATE stop SET why = %s FROM (
    SELECT why FROM stop WHERE operator = %s AND player = %s FOR UPDATE
) AS before
WHERE operator = %s AND player = %s
RETURNING before.why
"""

_START: Final = "DELETE FROM stop WHERE operator = %s AND player = %s RETURNING why"

_ANYBODY: Final = """
SELECT EXISTS (SELECT FROM session WHERE account = ANY(%s::uuid[]))
    OR EXISTS (SELECT FROM round WHERE account = ANY(%s::uuid[]))
    OR EXISTS (SELECT FROM ledger WHERE account = ANY(%s::uuid[]))
"""

_BEFORE_DEAL: Final = """
SELECT clock.now, (
    SELECT round FROM round
    WHERE account = %s AND table_id = %s AND closed_at IS NULL
), (
    SELECT CASE WHEN operator = '*' THEN 'everybody'
        WHEN player = '*' THEN 'operator' ELSE 'player' END
    FROM stop WHERE operator IN ('*', %s) AND player IN ('*', %s)
    ORDER BY operator, player LIMIT 1
), session.session IS NOT NULL,
session.ended_at IS NOT NULL OR session.expires_at <= clock.now, session.tables,
offer.enabled, offer.minimum, offer.maximum, offer.exposure,
CASE WHEN own.next_at <= clock.now THEN own.next_amount ELSE own.amount END,
log.round, log.ver, log.player, log.at, log.key, log.req, log.data, log.hash
FROM (SELECT now() AS now) AS clock
LEFT JOIN session ON session.account = %s AND session.session = %s
LEFT JOIN offer ON offer.operator = %s AND offer.table_id = %s AND offer.currency = %s
LEFT JOIN player_limit AS own
    ON own.operator = %s AND own.player = %s AND own.currency = %s
LEFT JOIN log ON log.account = %s AND log.player = %s AND log.key = %s
"""


def is_anybody(db: Database, accounts: list[str]) -> bool:
    """Tell whether one of these accounts had a session, a round or money here.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_ANYBODY, (accounts, accounts, accounts))
    return bool(found[0][0])


class DealRequest(NamedTuple):
    """Who wants a deal, where, in which currency and under which key."""

    account: str
    player: str
    operator: str
    session: str | None
    table_id: str
    currency: str
    key: str


class Standing(NamedTuple):
    """How a player stands at a table; None where nobody changed anything."""

    stopped: str | None
    """"everybody", "operator" or "player": whose new money is not taken."""
    session_found: bool
    session_over: bool | None
    session_tables: list[str] | None
    """The only tables of the session; None is all."""
    enabled: bool | None
    minimum: int | None
    maximum: int | None
    exposure: int | None
    """The most that a round may put at stake."""
    own_limit: int | None
    """The most that the player lets himself bet on a box."""


class BeforeDeal(NamedTuple):
    """What a deal has to know first."""

    now: int
    open_round_id: str | None
    """The round that is open at this table."""
    standing: Standing
    keyed: LogRow | None
    """The row that has the deal's idempotency key already."""


def before_deal(db: Database, deal: DealRequest) -> BeforeDeal:
    """Read what a deal has to know, with one SELECT.

    Raises:
        DatabaseUnavailable: no answer.
    """
    account, player, operator, session, table_id, currency, key = deal
    values = (
        *(account, table_id, operator, player, account, session),
        *(operator, table_id, currency, operator, player, currency),
        *(account, player, key),
    )
    ((now, open_round_id, *found),) = db.read(_BEFORE_DEAL, values)
    keyed = LogRow(account, *found[9:]) if found[9] is not None else None
    return BeforeDeal(now, open_round_id, Standing(*found[:9]), keyed)


def who_is_stopped(db: Database, operator: str, player: str) -> str | None:
    """Return who was stopped of those whose new money would be this player's.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_STOPPED, (operator, player))
    return found[0][0] if found else None


def stop(db: Database, operator: str, player: str, why: str) -> str | None:
    """Take no new money of a player; "*" stands for all players, or all operators.

    Returns why they were stopped before, None if they were not.

    Raises:
        DatabaseUnavailable: no answer; it may be so.
    """
    who = (operator, player)
    while not db.write(_STOP, (*who, why)):
        if found := db.change(_STOP_AGAIN, (why, *who, *who)):
            return str(found[0][0])
    return None


def start(db: Database, operator: str, player: str) -> str | None:
    """Take back a `stop` of these very words; return why it was, None without one.

    Raises:
        DatabaseUnavailable: no answer; it may be so.
    """
    found = db.change(_START, (operator, player))
    return found[0][0] if found else None
