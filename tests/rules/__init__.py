"""The rules: stories, laws, settings, documents, oracles."""
