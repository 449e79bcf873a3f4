-- A jackpot's parameters as they were loaded, one after another: a file that others
-- followed may be loaded again. A meter keeps those in force until a hit.
CREATE TABLE jackpot_version (
    jackpot_id text NOT NULL,
    number integer NOT NULL,
    version text NOT NULL,
    source text NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT jackpot_version_id PRIMARY KEY (jackpot_id, number)
);

-- How each operator's jackpot stands. "current", "overflow" and "contributed" are in
-- parts, a million of them a minor unit, so that no fraction is lost; "wagers" and
-- "resets" are in minor units. contributed + resets = current + overflow + all hits
-- that were not given back. What only grows has room for currencies of small units: a
-- year of wagers of a dollar's worth in rupiahs is more parts than a bigint counts.
CREATE TABLE jackpot_meter (
    operator text NOT NULL,
    jackpot_id text NOT NULL,
    version text NOT NULL,
    current bigint NOT NULL CHECK (current >= 0),
    overflow numeric(38) NOT NULL CHECK (overflow >= 0),
    contributed numeric(38) NOT NULL CHECK (contributed >= 0),
    wagers bigint NOT NULL CHECK (wagers >= 0),
    resets bigint NOT NULL CHECK (resets >= 0),
    CONSTRAINT jackpot_meter_id PRIMARY KEY (operator, jackpot_id)
);

-- Bonus wagers that are not in the meter yet: a deal adds a row and waits for nobody.
-- Whoever has locked the meter takes them away and adds them to it.
CREATE TABLE jackpot_contribution (
    operator text NOT NULL,
    jackpot_id text NOT NULL,
    round uuid NOT NULL,
    wagers bigint NOT NULL CHECK (wagers > 0),
    CONSTRAINT jackpot_contribution_id PRIMARY KEY (operator, jackpot_id, round)
);

-- What each hit has reserved; it is paid once its round is closed. A malfunction puts
-- it back into the meter: "returned_at".
CREATE TABLE jackpot_hit (
    account uuid NOT NULL,
    round uuid NOT NULL,
    box smallint NOT NULL,
    ver integer NOT NULL,
    operator text NOT NULL,
    jackpot_id text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    at timestamptz NOT NULL,
    returned_at timestamptz,
    CONSTRAINT jackpot_hit_id PRIMARY KEY (account, round, box)
);
CREATE INDEX jackpot_hit_last ON jackpot_hit (operator, jackpot_id, at);

GRANT SELECT, INSERT ON jackpot_version TO upcard_service;
GRANT SELECT, INSERT, UPDATE ON jackpot_meter TO upcard_service;
GRANT SELECT, INSERT, DELETE ON jackpot_contribution TO upcard_service;
GRANT SELECT, INSERT, UPDATE (returned_at) ON jackpot_hit TO upcard_service;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON jackpot_version
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
