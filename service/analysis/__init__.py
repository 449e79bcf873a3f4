"""The maths of a table: exact expectations, charts, and simulation by its own rules.

The reading order: ranks, hands, weights, plays, splits, optimum, charts, worth,
report; beside it bonus (fractions) and simulation. docs/rtp.md has the method.
"""
