-- Balances can't fall below zero, whatever the code above them does.
CREATE TABLE IF NOT EXISTS player (
    player_id text NOT NULL,
    currency text NOT NULL,
    cash bigint NOT NULL CHECK (cash >= 0),
    bonus bigint NOT NULL DEFAULT 0 CHECK (bonus >= 0),
    refuses text,
    PRIMARY KEY (player_id, currency)
);

-- One row is one id, for ever: what it was sent with, what it did, what was answered.
-- "moved" is what the player gained by it; "taken" is what of a debit may still be
-- given back, of which "taken_bonus" was bonus money. A rollback of a debit that never
-- came leaves a row of the debit's id.
CREATE TABLE IF NOT EXISTS transaction (
    transaction_id uuid PRIMARY KEY,
    kind text NOT NULL,
    content bytea,
    player_id text NOT NULL,
    currency text NOT NULL,
    round_id uuid NOT NULL,
    debit_id uuid,
    amount bigint NOT NULL,
    moved bigint NOT NULL DEFAULT 0,
    taken bigint NOT NULL DEFAULT 0 CHECK (taken >= 0),
    taken_bonus bigint NOT NULL DEFAULT 0 CHECK (taken_bonus >= 0),
    rolled_back boolean NOT NULL DEFAULT false,
    status integer,
    answer jsonb,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS transaction_round ON transaction (round_id);
