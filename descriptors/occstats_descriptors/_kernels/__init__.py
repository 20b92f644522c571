"""
Compiled kernels of the descriptors, and the threads that they run on.

Modules state the benefit of their kernels, in CPU seconds on one thread as measured by
``benchmarks/descriptors``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Single = NDArray[np.float32]
Integers = NDArray[np.int64]
