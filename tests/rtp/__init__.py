"""The returns of the shipped tables: exact, simulated, and compared."""
