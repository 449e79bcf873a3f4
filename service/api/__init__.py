"""The HTTP API: resources, schemas, errors, authentication."""
