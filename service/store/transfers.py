"""Calls to operators' wallets: each is a row before it is a call.

A debit's row waits for its answer; the other kinds are an outbox. A row that ends does
so once: every end is an UPDATE of a row that is still requested.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from service.sealing import SealedShoe
from service.store.database import Database
from service.store.instant import Instant
from service.store.statements import Row

Kind = Literal["debit", "credit", "rollback", "refund", "correction", "end"]
Status = Literal["requested", "confirmed", "refused", "rolled_back"]

_COLUMNS: Final = """account, transfer, operator, player, session, kind, purpose,
    round, ver, table_id, currency, amount, lines, debit, key, request, command,
    made_at, status, said, tries"""

# S608 sees SQL put together below: of this file's constants alone.
_NEW: Final = """
INSERT INTO transfer (account, transfer, operator, player, session, kind, purpose,
    round, ver, table_id, currency, amount, lines, debit, key, request, command,
    made_at, status, tries, next_try_at)
SELECT %s::uuid, %s::uuid, %s, %s, %s::uuid, %s, %s,
    %s::uuid, %s, %s, %s, %s, %s::json, %s::uuid, %s, %s::bytea, %s::json,
    coalesce(%s::timestamptz, now()), 'requested', %s, now() + %s * interval '1 second'
"""

# New money is asked of nobody who is stopped; and a deal's shoe is kept with it.
_ASK: Final = f"""
WITH asked AS (
    {_NEW}
    WHERE NOT EXISTS (
        SELECT FROM stop WHERE operator IN ('*', %s) AND player IN ('*', %s)
    )
    RETURNING now() AS now
), kept AS (
    INSERT INTO shoe (account, shoe, key_id, nonce, sealed, commitment)
    SELECT %s::uuid, %s::uuid, %s, %s, %s, %s FROM asked WHERE %s
    ON CONFLICT (account, shoe) DO NOTHING
)
SELECT now FROM asked
"""  # noqa: S608 - see above

_ASK_AGAIN: Final = """
UPDATE transfer SET tries = tries + 1,
    next_try_at = greatest(next_try_at, now() + %s * interval '1 second')
WHERE account = %s AND transfer = %s AND status = 'requested' AND NOT EXISTS (
    SELECT FROM stop
    WHERE stop.operator IN ('*', transfer.operator)
        AND stop.player IN ('*', transfer.player)
)
RETURNING now()
"""

_COUNT_TRY: Final = """
UPDATE transfer SET tries = tries + 1
WHERE account = %s AND transfer = %s AND status = 'requested'
"""

_END: Final = """
UPDATE transfer SET status = %s, said = %s, ended_at = now(), next_try_at = NULL,
    tx = pg_current_xact_id()
WHERE account = %s AND transfer = %s AND status = 'requested'
RETURNING tries
"""

_DEBITS: Final = f"""
SELECT {_COLUMNS} FROM transfer
WHERE account = %s AND round = %s AND kind = 'debit' ORDER BY ver, made_at
"""  # noqa: S608 - see above

_DEBITS_OF_ALL: Final = f"""
SELECT {_COLUMNS} FROM transfer
WHERE (account, round) IN (SELECT * FROM unnest(%s::uuid[], %s::uuid[]))
    AND kind = 'debit' ORDER BY ver, made_at
"""  # noqa: S608 - see above

# A debit whose version another command has taken is nobody's to wait for.
_WAITING: Final = f"""
SELECT {_COLUMNS} FROM transfer
WHERE account = %s AND round = %s AND kind = 'debit' AND status = 'requested'
    AND NOT EXISTS (
        SELECT FROM log WHERE log.account = transfer.account
            AND log.round = transfer.round AND log.ver = transfer.ver
    )
"""  # noqa: S608 - see above

_WAITING_DEAL: Final = f"""
SELECT {_COLUMNS} FROM transfer
WHERE account = %s AND table_id = %s AND kind = 'debit' AND purpose = 'deal'
    AND status = 'requested'
"""  # noqa: S608 - see above

_EARLIER_WAITS: Final = """
SELECT EXISTS (
    SELECT FROM transfer
    WHERE account = %s AND round = %s AND status = 'requested'
        AND (ver, kind = 'end') < (%s, %s)
)
"""

_SAID: Final = """
SELECT said FROM transfer
WHERE account = %s AND round = %s AND ver = %s AND status = 'confirmed'
    AND kind <> 'rollback'
ORDER BY ended_at DESC LIMIT 1
"""


class Transfer(NamedTuple):
    """One call to an operator's wallet: what is asked, and how it ended.

    `lines` is a JSON array of what each box's share is; `command` is JSON, too, and
    with `key` and `request` continues a debit's command; `debit` is the one that a
    rollback or refund takes back. `said` is what the wallet answered. `tries` counts
    how often it was asked. Money in minor units, `made_at` in microseconds since 1970
    UTC.
    """

    account: str
    transfer_id: str
    operator: str
    player: str
    session: str | None
    kind: Kind
    purpose: str
    round_id: str
    ver: int
    table_id: str
    currency: str
    amount: int
    lines: bytes
    debit: str | None
    key: str | None
    request: bytes | None
    command: bytes | None
    made_at: int
    status: Status = "requested"
    said: bytes | None = None
    tries: int = 0


def ask_debit(
    db: Database, debit: Transfer, shoe: SealedShoe | None, lease: int
) -> int | None:
    """Write down a debit that will be asked for now; return the database's time.

    With a deal's goes its shoe. For `lease` seconds no job asks for it. None: the
    player is stopped, and nothing was written.

    Raises:
        TransferExists: it was written down before.
        TransferWaits: another debit of the round, or deal at the table, waits.
        DatabaseUnavailable: no answer; it may have been written.
    """
    new = _new_values(debit, Instant(debit.made_at), 1, lease)
    values = (*new, debit.operator, debit.player)
    sealed = shoe or (None, b"", b"", None)
    kept = (debit.account, debit.round_id, *sealed, shoe is not None)
    found = db.change(_ASK, (*values, *kept))
    return found[0][0] if found else None


def ask_again(db: Database, debit: Transfer, lease: int) -> int | None:
    """Take up a debit that waits; return the database's time.

    None: it waits no more, or its player is stopped.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.change(_ASK_AGAIN, (lease, debit.account, debit.transfer_id))
    return found[0][0] if found else None


def count_try(db: Database, transfer: Transfer) -> None:
    """Note that a call of the outbox was made and not answered.

    Raises:
        DatabaseUnavailable: no answer.
    """
    db.write(_COUNT_TRY, (transfer.account, transfer.transfer_id))


def end_transfer(
    db: Database, transfer: Transfer, status: Status, said: bytes | None
) -> int | None:
    """End a transfer that is requested; return how many began to ask for it.

    None: it has ended before, and stays as it is.

    Raises:
        DatabaseUnavailable: no answer.
    """
    text = None if said is None else said.decode()
    values = (status, text, transfer.account, transfer.transfer_id)
    found = db.change(_END, values)
    return found[0][0] if found else None


def queue(db: Database, transfers: Iterable[Transfer], lease: int) -> None:
    """Put calls into the outbox, now. Call it in the transaction that is their cause.

    For `lease` seconds they are left to the caller.

    Raises:
        DatabaseUnavailable: no answer.
    """
    for transfer in transfers:
        db.write(_NEW, _new_values(transfer, None, 0, lease))


def debits_of(db: Database, account: str, round_id: str) -> list[Transfer]:
    """List all debits of a round, however they ended, in order.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [Transfer(*row) for row in db.read(_DEBITS, (account, round_id))]


def debits_of_all(
    db: Database, rounds: Sequence[tuple[str, str]]
) -> dict[str, list[Transfer]]:
    """List the debits of rounds, given by account and id, as `debits_of` does.

    Raises:
        DatabaseUnavailable: no answer.
    """
    accounts = [account for account, _ in rounds]
    ids = [round_id for _, round_id in rounds]
    debits: dict[str, list[Transfer]] = {round_id: [] for round_id in ids}
    for row in db.read(_DEBITS_OF_ALL, (accounts, ids)):
        debit = Transfer(*row)
        debits[debit.round_id].append(debit)
    return debits


def waiting_debit(db: Database, account: str, round_id: str) -> Transfer | None:
    """Find the debit that a round waits for.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_WAITING, (account, round_id))
    return Transfer(*found[0]) if found else None


def waiting_deal(db: Database, account: str, table_id: str) -> Transfer | None:
    """Find the debit that a deal at a table waits for.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_WAITING_DEAL, (account, table_id))
    return Transfer(*found[0]) if found else None


def earlier_waits(db: Database, transfer: Transfer) -> bool:
    """Tell whether a call that comes before it in its round is not acknowledged.

    Those of earlier commands do, and before an end the others of its command.

    Raises:
        DatabaseUnavailable: no answer.
    """
    where = (transfer.account, transfer.round_id)
    place = (transfer.ver, transfer.kind == "end")
    ((found,),) = db.read(_EARLIER_WAITS, (*where, *place))
    return bool(found)


def last_said(db: Database, account: str, round_id: str, ver: int) -> bytes | None:
    """Return what the wallet answered last about a command's money.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_SAID, (account, round_id, ver))
    return found[0][0] if found else None


def _new_values(new: Transfer, at: Instant | None, tries: int, lease: int) -> Row:
    command = None if new.command is None else new.command.decode()
    kept = (new.lines.decode(), new.debit, new.key, new.request, command)
    return (*new[:12], *kept, at, tries, lease)
