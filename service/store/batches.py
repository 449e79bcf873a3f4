"""The writes of many commands at once: for jobs, in a transaction of theirs.

Each is one statement, however many commands there are. Like a single command's they
go in the order balance, log, the rest, so that nobody waits for each other crosswise.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import orjson

from service.store.database import Database
from service.store.ledger import Entry
from service.store.rows import LogRow, RoundRow

# A batch goes as one value, JSON: an array of texts is far more work for the client.
# Times are microseconds in it, and bytes are hexadecimal.
_LOG: Final = """
INSERT INTO log (account, round, ver, player, at, key, req, data, hash)
SELECT account, round, ver, player,
    timestamptz 'epoch' + at * interval '1 microsecond',
    key, decode(req, 'hex'), data::json, decode(hash, 'hex')
FROM json_to_recordset(%s::json) AS new (account uuid, round uuid, ver integer,
    player text, at bigint, key text, req text, data text, hash text)
"""

_PROJECT: Final = """
UPDATE round SET
    decided_at = timestamptz 'epoch' + new.decided_at * interval '1 microsecond',
    closed_at = timestamptz 'epoch' + new.closed_at * interval '1 microsecond',
    status = new.status, stake = new.stake, payout = new.payout,
    ended_by = new.ended_by
FROM json_to_recordset(%s::json) AS new (account uuid, round_id uuid,
    decided_at bigint, closed_at bigint, status text, stake bigint, payout bigint,
    ended_by text)
WHERE round.account = new.account AND round.round = new.round_id
"""

_PAY: Final = """
UPDATE balance SET amount = balance.amount + new.amount
FROM json_to_recordset(%s::json) AS new (account uuid, currency text, amount bigint)
WHERE balance.account = new.account AND balance.currency = new.currency
RETURNING balance.account, balance.currency, balance.amount
"""

_ENTER: Final = """
INSERT INTO ledger (account, operator, player, mode, entry, line, purpose, round, ver,
    currency, side, amount, balance, at)
SELECT account, operator, player, mode, entry, line, purpose, round, ver, currency,
    side, amount, CASE side WHEN 'player' THEN balance END,
    timestamptz 'epoch' + at * interval '1 microsecond'
FROM json_to_recordset(%s::json) AS new (account uuid, operator text, player text,
    mode text, entry uuid, line smallint, purpose text, round uuid, ver integer,
    currency text, side text, amount bigint, balance bigint, at bigint)
"""

Purse = tuple[str, str]
"""Account and currency of a balance."""


def pay_all(db: Database, amounts: Counter[Purse]) -> dict[Purse, int]:
    """Add to balances that there are; return what each is then.

    Raises:
        DatabaseUnavailable: no answer.
    """
    rows = [
        {"account": account, "currency": currency, "amount": amount}
        for (account, currency), amount in amounts.items()
    ]
    found = db.change(_PAY, (_json(rows),))
    assert len(found) == len(amounts), "who staked has a balance"
    return {(account, currency): amount for account, currency, amount in found}


def append_all(db: Database, rows: Sequence[LogRow]) -> None:
    """Write the rows of commands, each of another round.

    Raises:
        LostRace: another command has one of the versions by now.
        KeyUsed: one of the keys is in the log already.
        DatabaseUnavailable: no answer.
    """
    told = [
        {
            "account": row.account,
            "round": row.round_id,
            "ver": row.ver,
            "player": row.player,
            "at": row.at,
            "key": row.key,
            "req": row.req.hex(),
            "hash": row.hash.hex(),
            "data": row.data.decode(),
        }
        for row in rows
    ]
    db.write(_LOG, (_json(told),))


def project_all(db: Database, rounds: Sequence[RoundRow]) -> None:
    """Note in the projection what commands have made of their rounds.

    Raises:
        DatabaseUnavailable: no answer.
    """
    db.write(_PROJECT, (_json([one._asdict() for one in rounds]),))


def enter_all(db: Database, entries: Sequence[Entry]) -> None:
    """Write the lines of entries that rounds are the cause of.

    Raises:
        DatabaseUnavailable: no answer.
    """
    lines = []
    for entry in entries:
        assert sum(line.amount for line in entry.lines) == 0, "an entry adds up to zero"
        shared = {
            **entry.holder._asdict(),
            "entry": entry.entry_id,
            "purpose": entry.purpose,
            "at": entry.at,
            "round": entry.round_id,
            "ver": entry.ver,
            "currency": entry.currency,
            "balance": entry.balance,
        }
        lines += [
            {**shared, "line": number, **line._asdict()}
            for number, line in enumerate(entry.lines, 1)
        ]
    db.write(_ENTER, (_json(lines),))


def _json(rows: list[dict[str, Any]]) -> str:
    return orjson.dumps(rows).decode()
