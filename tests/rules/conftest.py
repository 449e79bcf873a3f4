"""How hard the laws are tried: ``gate`` in every run, ``long`` for a night.

``quick`` is for `make mutants`, which runs the tests once for each mutant.

HYPOTHESIS_PROFILE=long pytest tests/rules
"""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "gate",
    max_examples=100,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", settings.get_profile("gate"), max_examples=15)
settings.register_profile("long", max_examples=20_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))
