-- One row is one day's seal: the root of a Merkle tree over the rounds that changed
-- since the former one, signed with a key that is not in the database. A seal covers
-- the rows of the log whose "tx" is below its "before" and not below the former's:
-- exactly those that no open transaction can add to any more.
CREATE TABLE seal (
    seal integer NOT NULL CHECK (seal > 0),
    day date NOT NULL,
    made_at timestamptz NOT NULL,
    before xid8 NOT NULL,
    leaves bigint NOT NULL CHECK (leaves >= 0),
    root bytea NOT NULL CHECK (octet_length(root) = 32),
    previous bytea NOT NULL CHECK (octet_length(previous) = 32),
    key_id text NOT NULL,
    public_key bytea NOT NULL,
    signature bytea NOT NULL,
    CONSTRAINT seal_id PRIMARY KEY (seal),
    CONSTRAINT seal_day UNIQUE (day)
);

-- The leaves of a seal's tree: a round, its version then, and that row's hash. They
-- say where a log differs from what was sealed.
CREATE TABLE seal_leaf (
    seal integer NOT NULL,
    account uuid NOT NULL,
    round uuid NOT NULL,
    ver integer NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT seal_leaf_id PRIMARY KEY (seal, account, round)
);
CREATE INDEX seal_leaf_round ON seal_leaf (account, round, seal);

-- A day's rows, without a pass over all of the log. Rows are appended as their
-- transactions come, so ranges of pages are enough: a btree would cost every command.
-- BRIN has no operators for xid8.
CREATE INDEX log_tx ON log USING brin ((tx::text::bigint)) WITH (autosummarize = on);

GRANT SELECT, INSERT ON seal, seal_leaf TO upcard_service;
-- What no seal covers yet does not leave for a file.
GRANT SELECT (seal, before) ON seal TO upcard_archiver;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON seal
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON seal_leaf
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
