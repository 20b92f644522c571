"""Nine data descriptors (one-class classifiers) as scikit-learn estimators."""

from occstats._checks import require_descriptors

require_descriptors()

from occstats_descriptors import *  # noqa: E402, F403
from occstats_descriptors import __all__ as __all__  # noqa: E402, PLC0414
