"""The writes of many commands at once: for jobs, in a transaction of theirs.

Each is one statement, however many commands there are. Like a single command's they
go in the order balance, log, the rest, so that nobody waits for each other crosswise.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from service.store.database import Database
from service.store.ledger import Entry
from service.store.rows import LogRow, RoundRow

# Times go as microseconds: an array of them has no binary form of ours.
_LOG: Final = """
INSERT INTO log (account, round, ver, player, at, key, req, data, hash)
SELECT account, round, ver, player,
    timestamptz 'epoch' + at * interval '1 microsecond', key, req, data::json, hash
FROM unnest(%s::uuid[], %s::uuid[], %s::integer[], %s::text[], %s::bigint[],
    %s::text[], %s::bytea[], %s::text[], %s::bytea[])
    AS new (account, round, ver, player, at, key, req, data, hash)
"""

_PROJECT: Final = """
UPDATE round SET
    decided_at = timestamptz 'epoch' + new.decided_at * interval '1 microsecond',
    closed_at = timestamptz 'epoch' + new.closed_at * interval '1 microsecond',
    status = new.status, stake = new.stake, payout = new.payout,
    ended_by = new.ended_by
FROM unnest(%s::uuid[], %s::uuid[], %s::bigint[], %s::bigint[], %s::text[],
    %s::bigint[], %s::bigint[], %s::text[])
    AS new (account, round, decided_at, closed_at, status, stake, payout, ended_by)
WHERE round.account = new.account AND round.round = new.round
"""

_PAY: Final = """
UPDATE balance SET amount = balance.amount + new.amount
FROM unnest(%s::uuid[], %s::text[], %s::bigint[]) AS new (account, currency, amount)
WHERE balance.account = new.account AND balance.currency = new.currency
RETURNING balance.account, balance.currency, balance.amount
"""

_ENTER: Final = """
INSERT INTO ledger (account, operator, player, mode, entry, line, purpose, round, ver,
    currency, side, amount, balance, at)
SELECT account, operator, player, mode, entry, line, purpose, round, ver, currency,
    side, amount, CASE side WHEN 'player' THEN balance END,
    timestamptz 'epoch' + at * interval '1 microsecond'
FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::text[], %s::uuid[], %s::smallint[],
    %s::text[], %s::uuid[], %s::integer[], %s::text[], %s::text[], %s::bigint[],
    %s::bigint[], %s::bigint[])
    AS new (account, operator, player, mode, entry, line, purpose, round, ver, currency,
        side, amount, balance, at)
"""

Purse = tuple[str, str]
"""Account and currency of a balance."""


def pay_all(db: Database, amounts: Counter[Purse]) -> dict[Purse, int]:
    """Add to balances that there are; return what each is then.

    Raises:
        DatabaseUnavailable: no answer.
    """
    columns = _columns([(*purse, amount) for purse, amount in amounts.items()])
    found = db.change(_PAY, columns)
    assert len(found) == len(amounts), "who staked has a balance"
    return {(account, currency): amount for account, currency, amount in found}


def append_all(db: Database, rows: Sequence[LogRow]) -> None:
    """Write the rows of commands, each of another round.

    Raises:
        LostRace: another command has one of the versions by now.
        KeyUsed: one of the keys is in the log already.
        DatabaseUnavailable: no answer.
    """
    flat = [(*row[:7], row.data.decode(), row.hash) for row in rows]
    db.write(_LOG, _columns(flat))


def project_all(db: Database, rounds: Sequence[RoundRow]) -> None:
    """Note in the projection what commands have made of their rounds.

    Raises:
        DatabaseUnavailable: no answer.
    """
    flat = [
        (
            *(one.account, one.round_id, one.decided_at, one.closed_at),
            *(one.status, one.stake, one.payout, one.ended_by),
        )
        for one in rounds
    ]
    db.write(_PROJECT, _columns(flat))


def enter_all(db: Database, entries: Sequence[Entry]) -> None:
    """Write the lines of entries that rounds are the cause of.

    Raises:
        DatabaseUnavailable: no answer.
    """
    flat = []
    for entry in entries:
        assert sum(line.amount for line in entry.lines) == 0, "an entry adds up to zero"
        about = (entry.purpose, entry.round_id, entry.ver, entry.currency)
        for number, line in enumerate(entry.lines, 1):
            place = (*entry.holder, entry.entry_id, number)
            flat.append((*place, *about, *line, entry.balance, entry.at))
    db.write(_ENTER, _columns(flat))


def _columns(rows: Sequence[tuple[object, ...]]) -> list[list[object]]:
    """Turn rows into the arrays that an unnest takes."""
    return [list(column) for column in zip(*rows, strict=True)]
