"""The maths of a table: exact expectations, charts, and simulation by its own rules.

The reading order: ranks, hands, weights, plays, splits, optimum, charts, worth,
report; beside it bonus (fractions) and simulation. docs/rtp.md has the method.
"""

import os

# Before numpy is imported: its matrices are small here, and several threads of BLAS
# take six times as long over them as one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
