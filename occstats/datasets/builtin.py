"""The data sets that come with scikit-learn: no download needed."""

import numpy as np

from occstats.datasets.dataset import Dataset
from occstats.errors import DataError

__all__ = ["BUILTIN", "load_builtin"]

# our name → scikit-learn's loader
BUILTIN = {
    "iris": "load_iris",
    "wine": "load_wine",
    "wdbc": "load_breast_cancer",
    "digits": "load_digits",
}


def load_builtin(name: str) -> Dataset:
    """Load a data set that comes with scikit-learn.

    Examples
    --------
    >>> load_builtin("wine")
    Dataset('wine', 178 rows, 13 attributes, 3 classes)
    """
    if name not in BUILTIN:
        raise DataError(f"no built-in data set {name!r}; there are {', '.join(BUILTIN)}")
    from sklearn import datasets

    bunch = getattr(datasets, BUILTIN[name])()
    labels = np.asarray(bunch.target_names).astype(str)[bunch.target]
    return Dataset(name=name, X=np.asarray(bunch.data, dtype=np.float64), labels=labels)
