"""The types of the columns, which must not depend on the values that happen to be in a shard."""

__all__ = ["column_types"]

_NUMBERS = {
    "fold": "int64",
    "auroc": "float64",
    "n": "int64",
    "m": "int64",
    "sparsity": "float64",
    "omitted_rows": "int64",
    "seed": "int64",
}
_TEXT = (
    "dataset", "class", "descriptor", "status", "error", "parameters", "version", "configuration",
)  # fmt: skip


def column_types(*seconds: str) -> dict[str, str]:
    """The types of the common columns and of those that hold seconds.

    Examples
    --------
    >>> column_types("fit_seconds")["fit_seconds"]
    'float64'
    """
    return {**_NUMBERS, **dict.fromkeys(_TEXT, "string"), **dict.fromkeys(seconds, "float64")}
