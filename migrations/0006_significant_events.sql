-- What somebody has to know of later: what was out of the ordinary in play, and each
-- change of a table, limit, operator or key; written together with its cause. No
-- operator: it is the whole house's. "who" is player, job, operator:<key> or cli:<user>.
-- "tx" lets a reader follow the commits without losing a late one.
CREATE TABLE significant_event (
    event uuid NOT NULL,
    account uuid,
    operator text,
    player text,
    mode text CHECK (mode IN ('real', 'demo')),
    kind text NOT NULL,
    round uuid,
    ver integer,
    at timestamptz NOT NULL,
    who text NOT NULL,
    before json,
    after json,
    data json,
    why text,
    tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT significant_event_id PRIMARY KEY (event)
);
CREATE INDEX significant_event_feed ON significant_event (operator, tx, event);
CREATE INDEX significant_event_all ON significant_event (tx, event);
-- What players owe is summed up from these.
CREATE INDEX significant_event_owed ON significant_event (operator, mode)
WHERE kind = 'money_owed';

GRANT SELECT, INSERT ON significant_event TO upcard_service;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON significant_event
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
