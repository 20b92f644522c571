"""Locate datasets: small values that are sent to worker processes in place of the data."""

import fnmatch
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from occstats._checks import require_descriptors
from occstats._format import did_you_mean
from occstats.datasets.dataset import Dataset, data_files, from_frame, read_dataset, stem_of
from occstats.errors import DataError

# name → loader of scikit-learn
BUILTIN = {
    "iris": "load_iris",
    "wine": "load_wine",
    "wdbc": "load_breast_cancer",
    "digits": "load_digits",
}


def load_builtin(name: str) -> Dataset:
    """Load a dataset that comes with scikit-learn.

    Examples
    --------
    >>> load_builtin("wine")
    Dataset('wine', 178 rows, 13 attributes, 3 classes)
    """
    if name not in BUILTIN:
        raise DataError(f"no built-in dataset {name!r}; available: {', '.join(BUILTIN)}")
    require_descriptors()
    from sklearn import datasets

    bunch = getattr(datasets, BUILTIN[name])()
    labels = np.asarray(bunch.target_names).astype(str)[bunch.target]
    return Dataset(name=name, X=np.asarray(bunch.data, dtype=np.float64), labels=labels)


@dataclass(frozen=True)
class Source:
    """A dataset that is not loaded yet: a file, or a built-in name."""

    name: str
    path: str | None = None
    label: str = "class"


def open_source(source: Source) -> Dataset:
    """Load a dataset; the last two are cached until their files change."""
    if source.path is None:
        return _opened(source, None)
    try:
        status = Path(source.path).stat()
    except OSError:  # the reader names the problem
        return _opened.__wrapped__(source, None)
    return _opened(source, (status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=2)
def _opened(source: Source, version: tuple[int, int] | None) -> Dataset:
    if source.path is None:
        return load_builtin(source.name)
    return read_dataset(source.path, label=source.label, name=source.name)


def select(
    data: "str | Path | Sequence[str | Path]" = "builtin",
    *,
    datasets: Iterable[str] | None = None,
    label: str = "class",
) -> list[Source]:
    """Find the requested datasets.

    Parameters
    ----------
    data : path or sequence of paths
        A folder with one file per dataset, single files, or ``"builtin"``.
    datasets : iterable of str, optional
        Names or globs (``"s*"``); all by default.
    label : str, default "class"
        The column with the class labels.

    Examples
    --------
    >>> [source.name for source in select("builtin", datasets=["w*"])]
    ['wine', 'wdbc']
    """
    places = [data] if isinstance(data, str | Path) else list(data)
    found: dict[str, Source] = {}
    for place in places:
        for source in _sources_of(place, label):
            if source.name in found and found[source.name] != source:
                raise DataError(
                    f"two datasets are called {source.name!r} ({found[source.name].path} and "
                    f"{source.path}); rename one file"
                )
            found[source.name] = source
    if not found:
        raise DataError(f"no data files in {', '.join(map(str, places))}")
    if datasets is None:
        return list(found.values())
    chosen: dict[str, Source] = {}
    for pattern in datasets:
        matching = [pattern] if pattern in found else fnmatch.filter(found, pattern)
        if not matching:
            raise DataError(
                f"no dataset matches {pattern!r}{did_you_mean(pattern, found)}; available: "
                f"{', '.join(sorted(found))}"
            )
        chosen |= {name: found[name] for name in matching}
    return list(chosen.values())


def _sources_of(place: str | Path, label: str) -> list[Source]:
    if str(place) == "builtin":
        return [Source(name) for name in BUILTIN]
    path = Path(place)
    if not path.exists():
        raise DataError(f"{path}: no such file or folder (or 'builtin' for the built-in datasets)")
    files = data_files(path) if path.is_dir() else [path]
    return [Source(stem_of(file), path=str(file.resolve()), label=label) for file in files]


def spool(data: Mapping[str, pd.DataFrame], folder: Path, *, label: str = "class") -> list[Source]:
    """Write datasets in memory to files that worker processes can read."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = []
    for name, frame in data.items():
        from_frame(frame, name=name, label=label)  # fail here rather than in a worker
        # Not every name of a dataset is a valid file name.
        path = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.parquet"
        columns = [str(column) for column in frame.columns]
        frame.set_axis(columns, axis=1).to_parquet(path)
        sources.append(Source(name, path=str(path.resolve()), label=label))
    return sources


def fingerprint(dataset: Dataset) -> str:
    """Return a short hash of the data, to distinguish results of different data.

    Examples
    --------
    >>> len(fingerprint(load_builtin("iris")))
    16
    """
    digest = hashlib.sha256()
    digest.update(repr(dataset.X.shape).encode())
    digest.update(np.ascontiguousarray(dataset.X).tobytes())
    digest.update("\0".join(dataset.labels.tolist()).encode())
    return digest.hexdigest()[:16]
