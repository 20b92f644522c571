from .load import load_results as load_results
from .table import Results as Results
