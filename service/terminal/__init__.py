"""The terminal client: it plays over the HTTP API and knows nothing of the server.

Read `game` first. What it is sent is described in `shapes`, the wire is `api`; `person`
and `robot` decide; `drawing` and `screen` show.
"""
