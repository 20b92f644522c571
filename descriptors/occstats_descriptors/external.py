"""Outlier detectors of other packages as descriptors."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.base import OutlierMixin, clone

from occstats_descriptors._kernels import Matrix, Vector
from occstats_descriptors.base import Descriptor, construct, did_you_mean

_ORIENTATIONS = ("auto", "normal", "outlier")


class ExternalDetector(Descriptor):
    """
    Outlier detector of another package, with scores that are high for the target class.

    Scores of scikit-learn's detectors are high for normal rows and used unchanged; PyOD's are high
    for outliers and change sign. The direction follows from the type of the detector, and is
    checked after fitting against the detector's labels of the training rows. Scores remain on the
    detector's scale, which is in general not [0, 1]: only their order has a meaning.

    Parameters
    ----------
    detector : estimator
        An unfitted outlier detector: an object with ``fit`` and with ``score_samples`` or
        ``decision_function``.
    orientation : {"auto", "normal", "outlier"}, default 'auto'
        Meaning of a high score of the detector; "auto" recognises scikit-learn and PyOD.
    contamination : float, default 0.1
        Share of the training rows below the threshold `offset_`, at most one half.

    Attributes
    ----------
    detector_ : estimator
        The fitted detector.
    offset_ : float
        Threshold on the score. If the detector stores scores of its training rows (PyOD's
        ``decision_scores_``, ``negative_outlier_factor_``), it is computed from those, otherwise
        from the scores of the training rows treated as new ones.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.covariance import EllipticEnvelope
    >>> from occstats.descriptors import ExternalDetector
    >>> rows = np.random.default_rng(0).normal(size=(100, 2))
    >>> descriptor = ExternalDetector(detector=EllipticEnvelope(random_state=0)).fit(rows)
    >>> inside, outside = descriptor.score_samples([[0.0, 0.0], [6.0, 6.0]])
    >>> bool(inside > outside)
    True
    """

    def __init__(
        self, *, detector: Any, orientation: str = "auto", contamination: float = 0.1
    ) -> None:
        super().__init__(contamination=contamination)
        self.detector = detector
        self.orientation = orientation

    def _fit(self, X: Matrix) -> None:
        if self.orientation not in _ORIENTATIONS:
            raise ValueError(
                f"orientation must be one of {', '.join(_ORIENTATIONS)}, got {self.orientation!r}."
            )
        self._method, self._sign = _method_and_sign(self.detector, self.orientation)
        # A detector without `get_params` is copied.
        self.detector_ = clone(self.detector, safe=False)
        self.detector_.fit(X)
        self._rows = X
        self._check_direction()

    def _score(self, X: Matrix) -> Vector:
        values = real_scores(getattr(self.detector_, self._method)(X))
        if values.shape != (len(X),):
            raise ValueError(
                f"{_name(self.detector)}.{self._method} must give one score per row, "
                f"got shape {values.shape} for {len(X)} rows."
            )
        return self._sign * values

    def _training_scores(self) -> Vector:
        for attribute in ("decision_scores_", "negative_outlier_factor_"):
            kept = getattr(self.detector_, attribute, None)
            if kept is not None and len(kept) == len(self._rows):
                sign = self._sign if attribute == "decision_scores_" else 1.0
                return sign * real_scores(kept)
        return self._score(self._rows)

    def _check_direction(self) -> None:
        """Compare the detector's labels of its training rows with the oriented scores."""
        outlier = _own_outliers(self.detector_, self._rows)
        if outlier is None or outlier.all() or not outlier.any():
            return
        scores = self._training_scores()
        if np.median(scores[outlier]) > np.median(scores[~outlier]):
            raise ValueError(
                f"The scores of {_name(self.detector)} contradict its own labels of the training "
                f"rows: rows labelled as outliers score higher than the others with "
                f"orientation={self.orientation!r}; pass orientation='normal' or 'outlier'."
            )


def real_scores(scores: Any) -> Vector:
    """Return scores as an array of float64; refuse those that are not real numbers."""
    if np.ma.is_masked(scores):
        raise ValueError("Scores must be real numbers, got a masked array.")
    values = np.asarray(scores)
    if values.dtype.kind not in "fiub":
        raise ValueError(f"Scores must be real numbers, got {values.dtype}.")
    return values.astype(np.float64, copy=False)


def make_external(path: str, **parameters: Any) -> Descriptor:
    """
    Make a descriptor from the import path of an outlier detector and its parameters.

    The path may also name a function that returns a detector. A detector that is a `Descriptor` is
    not wrapped. If the class takes the parameter ``novelty``, as scikit-learn's LocalOutlierFactor
    does, it is True unless given.

    Examples
    --------
    >>> from occstats_descriptors.external import make_external
    >>> make_external("sklearn.neighbors:LocalOutlierFactor", n_neighbors=5)
    ExternalDetector(detector=LocalOutlierFactor(n_neighbors=5, novelty=True))
    """
    kind = imported(path)
    if "novelty" in signature(kind).parameters:
        parameters = {"novelty": True, **parameters}
    detector = construct(kind, parameters)
    if isinstance(detector, Descriptor):
        return detector
    _method_and_sign(detector, "auto")
    return ExternalDetector(detector=detector)


def imported(path: str) -> Callable[..., Any]:
    """Return a class or function by its import path, or by the Python file that defines it."""
    module, separator, name = path.rpartition(":")
    if not (module and separator and name.isidentifier()):
        raise ValueError(
            f"An external descriptor must be named as 'package.module:Class' or 'file.py:Class', "
            f"got {path!r}."
        )
    is_file = module.endswith(".py")
    if is_file and not Path(module).is_file():
        raise ValueError(f"{path!r} cannot be imported: there is no file {module!r}.")
    try:
        code = _from_file(Path(module)) if is_file else import_module(module)
    except ModuleNotFoundError as error:
        file = Path(*module.split(".")).with_suffix(".py")
        if file.is_file():
            remedy = f"to use the file in this folder, write '{file.as_posix()}:{name}'"
        else:
            remedy = "install the package it belongs to, or correct the path"
        raise ValueError(
            f"{path!r} cannot be imported: there is no module {error.name!r}; {remedy}."
        ) from error
    except (Exception, SystemExit) as error:  # the code of a module may raise anything
        raise ValueError(f"{path!r} cannot be imported: {_located(error, module)}.") from error
    if not hasattr(code, name):
        near = did_you_mean(name, vars(code))
        raise ValueError(f"{path!r} cannot be imported: {module} has no {name!r}{near}.")
    kind = getattr(code, name)
    if not callable(kind):
        raise ValueError(f"{path!r} must be a class or a function, got {type(kind).__name__}.")
    return kind  # type: ignore[no-any-return]


def _located(error: BaseException, module: str) -> str:
    """Return an exception on one line, with the line of the file where it was raised."""
    reason = error.msg if isinstance(error, SyntaxError) else str(error)
    text = f"{type(error).__name__}: {' '.join(reason.split())}".removesuffix(": ")
    if not module.endswith(".py"):
        return text
    own = [f for f in extract_tb(error.__traceback__) if f.filename == str(Path(module).resolve())]
    line = error.lineno if isinstance(error, SyntaxError) else own[-1].lineno if own else None
    return f"line {line}: {text}" if line else text


def _from_file(file: Path) -> ModuleType:
    """Import a file once, under a name that no other module has."""
    name = f"_file_{hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:16]}_{file.stem}"
    if name not in sys.modules:
        spec = spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def _method_and_sign(detector: Any, orientation: str) -> tuple[str, float]:
    """Return the name of the scoring method, and the sign that makes high scores normal."""
    name = _name(detector)
    if not hasattr(detector, "fit"):
        raise ValueError(f"{name} is not an outlier detector: it has no fit.")
    if getattr(detector, "novelty", True) is False:
        raise ValueError(f"{name} cannot score new rows: it has novelty=False, set it to True.")
    methods = [m for m in ("score_samples", "decision_function") if hasattr(type(detector), m)]
    if not methods:
        raise ValueError(
            f"{name} is not an outlier detector: "
            "it has neither score_samples nor decision_function."
        )
    if orientation != "auto":
        return methods[0], 1.0 if orientation == "normal" else -1.0
    if _is_pyod(detector):
        return "decision_function", -1.0
    if isinstance(detector, OutlierMixin):
        return methods[0], 1.0
    raise ValueError(
        f"The meaning of high scores of {name} is unknown: it is neither a scikit-learn outlier "
        "detector nor a PyOD model; derive it from sklearn.base.OutlierMixin if high scores are "
        "normal, or name a function that returns occstats.descriptors.ExternalDetector("
        "detector=…, orientation='outlier') if they are not."
    )


def _is_pyod(detector: Any) -> bool:
    return any(kind.__module__.startswith("pyod.") for kind in type(detector).__mro__)


def _own_outliers(detector: Any, rows: Matrix) -> np.ndarray | None:
    """Find the training rows that the fitted detector labels as outliers."""
    if _is_pyod(detector):
        labels = getattr(detector, "labels_", None)
        return None if labels is None else np.asarray(labels) == 1
    if isinstance(detector, OutlierMixin) and hasattr(detector, "predict"):
        return np.asarray(np.asarray(detector.predict(rows)) == -1)
    return None


def _name(detector: Any) -> str:
    return type(detector).__name__
