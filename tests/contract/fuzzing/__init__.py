"""schemathesis against the whole service: its server, its manners, its own checks.

tests/contract/test_schemathesis.py runs it in three bounded runs.
"""
