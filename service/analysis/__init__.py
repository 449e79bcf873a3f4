"""The maths of a table: exact expectations, charts, and simulation by its own rules.

The reading order: ranks, hands, weights, plays, splits, upcards, optimum, chart,
charts, study, report; beside it chances (fractions) and simulation, which need no
numpy, so that what serves can use them. docs/rtp.md has the method.
"""

import os

# Before numpy is imported: its matrices are small here, and several threads of BLAS
# take six times as long over them as one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
