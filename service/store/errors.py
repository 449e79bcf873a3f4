"""What the store can answer instead of a result."""


class StoreError(Exception):
    """The root of them; its text is for operators, and holds no secret."""


class DatabaseUnavailable(StoreError):
    """The database is away, or went away before it answered.

    Whether a write took place is then unknown: the same command with the same
    Idempotency-Key finds out and is safe.
    """


class SchemaWrong(StoreError):
    """The database has not the schema of this release; the text says what to run."""


class LostRace(StoreError):
    """The round has got another row at this version meanwhile: load it again."""


class KeyUsed(StoreError):
    """The player's idempotency key is in the log already: see `rounds.find_key`."""


class OpenRoundExists(StoreError):
    """The player has an open round at this table: see `rounds.before_deal`."""


class ReferenceUsed(StoreError):
    """The account has a deposit or withdrawal of this reference already."""


class TransferExists(StoreError):
    """This call to the wallet was written down before."""


class TransferWaits(StoreError):
    """Another debit of the round, or deal at the table, waits for the wallet."""


class NonceUsed(StoreError):
    """The number of a signed request was used before: it is a replay."""


class TableVersionChanged(StoreError):
    """A table version that was loaded can never get another text."""


class JackpotVersionChanged(StoreError):
    """A jackpot's version that was loaded can never get another text."""


class ChainBroken(StoreError):
    """A round's log rows are not those that were written; says which one."""


class SealExists(StoreError):
    """Another copy of the job made this seal."""


class SealImpossible(StoreError):
    """The log can't be sealed as it is; says why, and what to do."""


class ArchiveUnavailable(StoreError):
    """A round's log is in an archive that can't be read here; says what is wrong."""
