-- When an open round's time is over, as its first event says; and how the jobs find
-- the rounds that they end: undecided ones by that time, decided ones by their age.
ALTER TABLE round ADD COLUMN expires_at timestamptz;
UPDATE round
SET expires_at = timestamptz 'epoch'
    + (log.data -> 'events' -> 0 ->> 'expires_at')::bigint * interval '1 microsecond'
FROM log
WHERE log.account = round.log_account AND log.round = round.round AND log.ver = 1;
ALTER TABLE round ALTER COLUMN expires_at SET NOT NULL;

CREATE INDEX round_expires ON round (expires_at, round)
WHERE closed_at IS NULL AND decided_at IS NULL;
CREATE INDEX round_decided ON round (decided_at, round)
WHERE closed_at IS NULL AND decided_at IS NOT NULL;
