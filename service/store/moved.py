"""What a round moved: the ledger's lines, or the calls to an operator's wallet."""

from typing import Final

from service.proof import MoneyRow
from service.store.database import Database

# A payout is owed from its row on, whether it is acknowledged yet or not: a proof that
# said which would not stay as it is.
_MONEY: Final = """
SELECT 'ledger' AS source, entry AS id, ver, NULL AS kind, purpose, side, amount,
    currency, NULL AS status, balance, line
FROM ledger WHERE account = %s AND round = %s
UNION ALL
SELECT 'wallet', transfer, ver, kind, purpose, NULL, amount, currency,
    CASE kind WHEN 'debit' THEN status END, NULL, 0
FROM transfer WHERE account = %s AND round = %s
ORDER BY ver, id, line
"""


def money_of(db: Database, account: str, round_id: str) -> tuple[MoneyRow, ...]:
    """Return what a round moved of an account's money, in the order of its commands.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_MONEY, (account, round_id, account, round_id))
    return tuple(MoneyRow(*row[:-1]) for row in found)
