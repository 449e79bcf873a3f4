-- One row is one accepted command. "account" is the shard key and leads every key.
-- "data" is json, not jsonb: its bytes stay as they were hashed.
-- "tx" lets a reader of the whole log follow commits without losing a late one.
CREATE TABLE log (
    account uuid NOT NULL,
    round uuid NOT NULL,
    ver integer NOT NULL CHECK (ver > 0),
    player text NOT NULL,
    at timestamptz NOT NULL,
    key text NOT NULL,
    req bytea NOT NULL,
    data json NOT NULL,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT log_version PRIMARY KEY (account, round, ver),
    CONSTRAINT log_key UNIQUE (account, player, key)
);

-- What the log says of each round, for history, resume and jobs: it can be made
-- anew from the log. "account" is always a player's; "log_account" says where the
-- round's log is (a shared round has a row here for each player).
CREATE TABLE round (
    account uuid NOT NULL,
    round uuid NOT NULL,
    log_account uuid NOT NULL,
    table_id text NOT NULL,
    table_version text NOT NULL,
    currency text NOT NULL,
    status text NOT NULL,
    opened_at timestamptz NOT NULL,
    decided_at timestamptz,
    closed_at timestamptz,
    stake bigint NOT NULL CHECK (stake >= 0),
    payout bigint CHECK (payout >= 0),
    CONSTRAINT round_id PRIMARY KEY (account, round)
);

-- At most one open round for each player at each table.
CREATE UNIQUE INDEX round_open ON round (account, table_id)
WHERE closed_at IS NULL;

-- A player's last round at a table, to bet the same again.
CREATE INDEX round_last ON round (account, table_id, opened_at, round)
WHERE closed_at IS NOT NULL;

-- A shoe's order and salt, sealed with a key that is not in the database.
CREATE TABLE shoe (
    account uuid NOT NULL,
    shoe uuid NOT NULL,
    key_id text NOT NULL,
    nonce bytea NOT NULL,
    sealed bytea NOT NULL,
    commitment text NOT NULL,
    CONSTRAINT shoe_id PRIMARY KEY (account, shoe)
);

-- A table's rules as they were loaded; a round keeps the version it began under.
CREATE TABLE table_version (
    table_id text NOT NULL,
    version text NOT NULL,
    source text NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT table_version_id PRIMARY KEY (table_id, version)
);

GRANT SELECT, INSERT ON log, shoe, table_version TO upcard_service;
GRANT SELECT, INSERT, UPDATE ON round TO upcard_service;

-- A seat belt for whoever works under another role; no command depends on it.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON log
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON shoe
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON table_version
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
