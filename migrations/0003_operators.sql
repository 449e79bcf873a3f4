-- Who sends players here, and what they may play. Operators and their keys are changed
-- by the house's engineer alone; the service's role reads them. A sandbox that is done
-- with is retired, since its rounds stay: it has no keys, and no new one may be made.
CREATE TABLE operator (
    operator text NOT NULL,
    wallet text NOT NULL CHECK (wallet IN ('ledger', 'seamless')),
    wallet_url text CHECK ((wallet = 'seamless') = (wallet_url IS NOT NULL)),
    sandbox boolean NOT NULL DEFAULT false,
    made_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz CHECK (sandbox OR retired_at IS NULL),
    CONSTRAINT operator_id PRIMARY KEY (operator)
);

-- Secrets are sealed with the key ring that is not in the database: a request's
-- signature can be checked, and the database alone can make none. Two may be good at
-- a time. "request" keys sign what an operator asks of us, "wallet" keys what we ask.
CREATE TABLE operator_key (
    operator text NOT NULL,
    key_id text NOT NULL,
    use text NOT NULL CHECK (use IN ('request', 'wallet')),
    ring_key text NOT NULL,
    nonce bytea NOT NULL,
    sealed bytea NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    ends_at timestamptz,
    CONSTRAINT operator_key_id PRIMARY KEY (operator, key_id)
);

-- Numbers of signed requests, each good once; old ones are swept by a job.
CREATE TABLE request_nonce (
    operator text NOT NULL,
    nonce text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT request_nonce_once PRIMARY KEY (operator, nonce)
);

-- What an operator changed of a table, by currency; no row: the table as it is.
CREATE TABLE offer (
    operator text NOT NULL,
    table_id text NOT NULL,
    currency text NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    minimum bigint CHECK (minimum > 0),
    maximum bigint CHECK (maximum > 0),
    exposure bigint CHECK (exposure > 0),
    CONSTRAINT offer_id PRIMARY KEY (operator, table_id, currency)
);

-- New money is refused where a row stands: for everybody ('*', '*'), for an
-- operator's players (operator, '*'), for one player (operator, player).
CREATE TABLE stop (
    operator text NOT NULL,
    player text NOT NULL,
    why text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT stop_id PRIMARY KEY (operator, player)
);

-- The most that a player lets himself bet on a box, in real and in demo rounds; a null
-- amount is no limit. "next_amount" is in force in its place from "next_at" on, whoever
-- looks; "raised_at" is when a raise was last asked for. "ver" grows with each change.
CREATE TABLE player_limit (
    operator text NOT NULL,
    player text NOT NULL,
    currency text NOT NULL,
    ver integer NOT NULL CHECK (ver > 0),
    amount bigint CHECK (amount > 0),
    since timestamptz,
    next_amount bigint CHECK (next_amount > 0),
    next_at timestamptz,
    raised_at timestamptz,
    CONSTRAINT player_limit_id PRIMARY KEY (operator, player, currency)
);

-- The PIN with which a player confirms a change of his limit: its argon2id hash, sealed
-- with the key ring, since all PINs can soon be tried on a bare hash. "tries" counts
-- those that began since the last good one; with the fifth none may until "locked_until".
CREATE TABLE player_pin (
    operator text NOT NULL,
    player text NOT NULL,
    ring_key text NOT NULL,
    nonce bytea NOT NULL,
    sealed bytea NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now(),
    tries integer NOT NULL DEFAULT 0,
    locked_until timestamptz,
    CONSTRAINT player_pin_id PRIMARY KEY (operator, player)
);

-- A launch of a player by an operator. It says who may deal; it never says who may
-- finish: rounds are found by player. "key" and "request" tell a repeated launch.
CREATE TABLE session (
    account uuid NOT NULL,
    session uuid NOT NULL,
    operator text NOT NULL,
    player text NOT NULL,
    currency text NOT NULL,
    mode text NOT NULL CHECK (mode IN ('real', 'demo')),
    tables text[],
    language text NOT NULL,
    return_url text,
    key text NOT NULL,
    request bytea NOT NULL,
    opened_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    ended_at timestamptz,
    CONSTRAINT session_id PRIMARY KEY (account, session),
    CONSTRAINT session_key UNIQUE (account, key)
);
-- An operator ends a session by its id, and all of a player's.
CREATE INDEX session_operator ON session (operator, session);

GRANT SELECT ON operator, operator_key TO upcard_service;
-- An operator disables a table himself when a round has malfunctioned.
GRANT SELECT, INSERT, UPDATE, DELETE ON offer TO upcard_service;
-- UPDATE to lock what is swept: copies of the job take different rows.
GRANT SELECT, INSERT, UPDATE, DELETE ON request_nonce TO upcard_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON stop TO upcard_service;
GRANT SELECT, INSERT, UPDATE ON player_limit, session TO upcard_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON player_pin TO upcard_service;
