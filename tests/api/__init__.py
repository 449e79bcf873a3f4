"""The API, over HTTP and on real PostgreSQL."""
