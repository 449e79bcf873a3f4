"""What a wager or a payout does to somebody's money."""
