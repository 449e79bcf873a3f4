"""Rounds that left the database for files, and how they are found there again."""
