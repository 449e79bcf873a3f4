-- What a player has, in minor units. Only the player's side has a row of its own: the
-- house and what rounds hold are sums of the ledger, or one row would be hot.
CREATE TABLE balance (
    account uuid NOT NULL,
    currency text NOT NULL,
    amount bigint NOT NULL CHECK (amount >= 0),
    CONSTRAINT balance_id PRIMARY KEY (account, currency)
);

-- Double entry: the lines of an entry add up to zero. "reference" tells a deposit or
-- withdrawal from its repeat; "round" and "ver" name the command that was the cause.
-- "tx" lets an operator follow the commits without losing a late one.
CREATE TABLE ledger (
    account uuid NOT NULL,
    entry uuid NOT NULL,
    line smallint NOT NULL,
    operator text NOT NULL,
    player text NOT NULL,
    mode text NOT NULL CHECK (mode IN ('real', 'demo')),
    purpose text NOT NULL,
    round uuid,
    ver integer,
    reference text,
    currency text NOT NULL,
    side text NOT NULL CHECK (side IN ('player', 'held', 'house', 'operator')),
    amount bigint NOT NULL,
    balance bigint,
    at timestamptz NOT NULL,
    tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT ledger_line PRIMARY KEY (account, entry, line)
);
CREATE UNIQUE INDEX ledger_cause ON ledger (account, round, ver, line)
WHERE round IS NOT NULL;
CREATE UNIQUE INDEX ledger_reference ON ledger (account, reference)
WHERE reference IS NOT NULL AND side = 'player';
CREATE INDEX ledger_feed ON ledger (operator, mode, tx, entry) WHERE side = 'player';

-- One row is one call to an operator's wallet, written before the call: the debit that
-- a command waits for, and, as an outbox, the credits, rollbacks, refunds, corrections
-- and ends of rounds that are delivered until they are acknowledged.
--
-- A debit keeps its command ("key", "request", "command"), so that whoever finds it can
-- go on with it; it is confirmed in the transaction that writes the command's row, so
-- "confirmed" and "in the log" are one thing. "tries" counts who began to ask; "debit"
-- is what a rollback or refund takes back; "said" is what the wallet answered. "tx" is
-- that of the last change of "status": an operator who follows sees the row again.
CREATE TABLE transfer (
    account uuid NOT NULL,
    transfer uuid NOT NULL,
    operator text NOT NULL,
    player text NOT NULL,
    session uuid,
    kind text NOT NULL
    CHECK (kind IN ('debit', 'credit', 'rollback', 'refund', 'correction', 'end')),
    purpose text NOT NULL,
    round uuid NOT NULL,
    ver integer NOT NULL,
    table_id text NOT NULL,
    currency text NOT NULL,
    amount bigint NOT NULL CHECK (amount >= 0 OR kind = 'correction'),
    lines json NOT NULL,
    debit uuid,
    key text,
    request bytea,
    command json,
    status text NOT NULL
    CHECK (status IN ('requested', 'confirmed', 'refused', 'rolled_back')),
    said json,
    tries integer NOT NULL DEFAULT 0,
    made_at timestamptz NOT NULL,
    next_try_at timestamptz,
    ended_at timestamptz,
    tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT transfer_id PRIMARY KEY (account, transfer)
);
CREATE UNIQUE INDEX transfer_waits ON transfer (account, round)
WHERE kind = 'debit' AND status = 'requested';
CREATE UNIQUE INDEX transfer_deals ON transfer (account, table_id)
WHERE kind = 'debit' AND purpose = 'deal' AND status = 'requested';
CREATE INDEX transfer_round ON transfer (account, round, ver);
CREATE INDEX transfer_due ON transfer (operator, next_try_at)
WHERE status = 'requested';
CREATE INDEX transfer_feed ON transfer (operator, tx, transfer);

-- Whose a round is and for which money, for the operators' reports. What was dealt
-- before there were operators was the development operator's.
ALTER TABLE round
ADD COLUMN operator text NOT NULL DEFAULT 'development',
ADD COLUMN mode text NOT NULL DEFAULT 'demo' CHECK (mode IN ('real', 'demo'));
ALTER TABLE round ALTER COLUMN operator DROP DEFAULT, ALTER COLUMN mode DROP DEFAULT;
CREATE INDEX round_held ON round (operator, mode)
INCLUDE (account, round, table_id, currency) WHERE closed_at IS NULL;
CREATE INDEX round_turnover ON round (operator, mode, closed_at)
INCLUDE (table_id, currency, status, stake, payout) WHERE closed_at IS NOT NULL;

GRANT SELECT, INSERT, UPDATE ON balance, transfer TO upcard_service;
GRANT SELECT, INSERT ON ledger TO upcard_service;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
