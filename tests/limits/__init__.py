"""A player's own limit: its weeks, its changes, its PIN."""
