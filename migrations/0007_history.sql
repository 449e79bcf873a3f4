-- Who gave the command that ended a round: its player, a job or an operator. And in
-- which file the round's log is, once it is not in the database any more.
ALTER TABLE round
ADD COLUMN ended_by text CHECK (ended_by IN ('player', 'job', 'operator')),
ADD COLUMN archived_in text;
UPDATE round SET ended_by = 'player' WHERE closed_at IS NOT NULL;

-- A player's past, newest first. What a page may be filtered by stands behind the place,
-- so that a round that does not fit is passed over without a look at it.
CREATE INDEX round_past ON round (
    account, opened_at, round, table_id, currency, status, ended_by
)
WHERE closed_at IS NOT NULL;
-- The rare ones have an index of their own: among a thousand others is perhaps one.
CREATE INDEX round_unlike ON round (account, opened_at, round)
WHERE closed_at IS NOT NULL AND (status <> 'settled' OR ended_by <> 'player');

-- The one role that may take rounds out of the log, once they are in a file.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'upcard_archiver') THEN
        CREATE ROLE upcard_archiver NOLOGIN;
    END IF;
EXCEPTION
    -- Roles belong to the whole server: another database's migration was first.
    WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;
DO $$
BEGIN
    IF NOT pg_has_role(
        current_user, 'upcard_archiver',
        CASE WHEN current_setting('server_version_num')::int >= 160000
            THEN 'SET' ELSE 'MEMBER' END
    ) THEN
        EXECUTE format('GRANT upcard_archiver TO %I', current_user);
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO upcard_archiver', current_schema());
END
$$;

-- The files that rounds have gone to; "digest" is the SHA-256 of their bytes.
CREATE TABLE archive_file (
    file text NOT NULL,
    digest text NOT NULL,
    rounds integer NOT NULL,
    log_rows integer NOT NULL,
    shoes integer NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT archive_file_id PRIMARY KEY (file)
);
CREATE INDEX round_leaves ON round (closed_at, account, round)
WHERE closed_at IS NOT NULL AND archived_in IS NULL;

GRANT SELECT ON archive_file TO upcard_service;
GRANT SELECT ON migration TO upcard_archiver;
GRANT SELECT (account, round, status) ON transfer TO upcard_archiver;
GRANT SELECT, DELETE ON log, shoe TO upcard_archiver;
GRANT SELECT, UPDATE (archived_in) ON round TO upcard_archiver;
GRANT SELECT, INSERT ON archive_file TO upcard_archiver;

CREATE FUNCTION refuse_change_unless_archived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_user = 'upcard_archiver' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
END
$$;
DROP TRIGGER append_only ON log;
DROP TRIGGER append_only ON shoe;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON log
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_unless_archived();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON shoe
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_unless_archived();
