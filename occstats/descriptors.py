"""The nine data descriptors, so that users write ``from occstats.descriptors import ALP``."""

from occstats_descriptors import *  # noqa: F403
from occstats_descriptors import __all__ as __all__  # noqa: PLC0414
