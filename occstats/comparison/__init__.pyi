from .pipeline import compare as compare
from .result import Comparison as Comparison
from .settings import Settings as Settings
