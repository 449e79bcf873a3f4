"""Chance: shuffles, sealed shoes and proofs."""
