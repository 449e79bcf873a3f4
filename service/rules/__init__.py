"""The rules of blackjack as pure functions over immutable values.

No input or output, no clock, no randomness. Reading order: cards, table, events,
stored, round, fold, legal, sidebet, settle, commands, betting, expire, decide.
"""
