"""An operator's wallet as docs/wallet.yaml asks for it: Flask and PostgreSQL.

It shares no code with the service, so that it can be its witness. See README.md.
"""
