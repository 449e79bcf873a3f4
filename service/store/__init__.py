"""The store: the rounds' log and what is derived from it. SQL lives here alone."""
