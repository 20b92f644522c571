from . import (
    descriptors as descriptors,
    figures as figures,
    stats as stats,
)
from .comparison import (
    Comparison as Comparison,
    Comparisons as Comparisons,
    compare as compare,
)
from .experiment import run_experiment as run_experiment
from .results import (
    Results as Results,
    load_results as load_results,
)
from .tuning import tune as tune

__version__: str
