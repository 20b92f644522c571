"""A hash of what a table says, kept beside it: a damaged file is an error, never a wrong number."""

import hashlib

import numpy as np
import pandas as pd

__all__ = ["content_digest"]


def content_digest(rows: pd.DataFrame) -> str:
    """Hash names and values of all columns; the same before and after a file, if nothing changed.

    Parquet's checksums cover the pages but not the description of the file, in which a flipped bit
    can give a column another name, type or place.

    Examples
    --------
    >>> rows = pd.DataFrame({"a": [1.0, None], "b": ["x", None]})
    >>> content_digest(rows) == content_digest(rows.copy())
    True
    >>> content_digest(rows) == content_digest(rows.rename(columns={"a": "c"}))
    False
    """
    digest = hashlib.sha256()
    for name in rows.columns:
        column = rows[name]
        digest.update(f"\0{name}\0".encode())
        if pd.api.types.is_integer_dtype(column.dtype):
            digest.update(column.to_numpy(dtype=np.int64).tobytes())
        elif pd.api.types.is_float_dtype(column.dtype):
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            # One NaN for all: a missing value has no bits of its own.
            digest.update(np.where(np.isnan(values), np.nan, values).tobytes())
        else:
            missing = column.isna()
            text = column.astype(object).mask(missing, "")
            digest.update(np.packbits(missing.to_numpy(dtype=bool)).tobytes())
            digest.update(pd.util.hash_pandas_object(text, index=False).to_numpy().tobytes())
    return digest.hexdigest()
