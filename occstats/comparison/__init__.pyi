from .pipeline import compare as compare
from .comparison import Comparison as Comparison
from .settings import Settings as Settings
from .families import Comparisons as Comparisons
