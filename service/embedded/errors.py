"""What can go wrong with the embedded PostgreSQL; each message says what to do."""


class EmbeddedFault(Exception):
    """The embedded PostgreSQL cannot be started or used."""
