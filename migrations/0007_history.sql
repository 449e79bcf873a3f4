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
