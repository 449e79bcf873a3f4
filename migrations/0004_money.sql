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
CREATE TABLE ledger (
    account uuid NOT NULL,
    entry uuid NOT NULL,
    line smallint NOT NULL,
    purpose text NOT NULL,
    round uuid,
    ver integer,
    reference text,
    currency text NOT NULL,
    side text NOT NULL CHECK (side IN ('player', 'held', 'house', 'operator')),
    amount bigint NOT NULL,
    balance bigint,
    at timestamptz NOT NULL,
    CONSTRAINT ledger_line PRIMARY KEY (account, entry, line)
);
CREATE UNIQUE INDEX ledger_cause ON ledger (account, round, ver, line)
WHERE round IS NOT NULL;
CREATE UNIQUE INDEX ledger_reference ON ledger (account, reference)
WHERE reference IS NOT NULL AND side = 'player';

-- One row is one call to an operator's wallet, written before the call: the debit that
-- a command waits for, and, as an outbox, the credits, rollbacks and ends of rounds
-- that are delivered until they are acknowledged. "command" and "request" continue a
-- debit's command; "said" is what the wallet answered.
CREATE TABLE transfer (
    account uuid NOT NULL,
    transfer uuid NOT NULL,
    operator text NOT NULL,
    player text NOT NULL,
    kind text NOT NULL
    CHECK (kind IN ('debit', 'credit', 'rollback', 'refund', 'correction', 'end')),
    purpose text NOT NULL,
    round uuid NOT NULL,
    ver integer NOT NULL,
    table_id text NOT NULL,
    currency text NOT NULL,
    amount bigint NOT NULL CHECK (amount >= 0),
    lines json NOT NULL,
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
    CONSTRAINT transfer_id PRIMARY KEY (account, transfer)
);
CREATE UNIQUE INDEX transfer_waits ON transfer (account, round)
WHERE kind = 'debit' AND status = 'requested';
CREATE UNIQUE INDEX transfer_deals ON transfer (account, table_id)
WHERE kind = 'debit' AND purpose = 'deal' AND status = 'requested';
CREATE INDEX transfer_due ON transfer (next_try_at) WHERE status = 'requested';
CREATE INDEX transfer_operator ON transfer (operator, made_at, transfer);

GRANT SELECT, INSERT, UPDATE ON balance, transfer TO upcard_service;
GRANT SELECT, INSERT ON ledger TO upcard_service;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
