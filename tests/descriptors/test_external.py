"""Detectors of other packages."""

import sys
import types

import numpy as np
import pytest
from sklearn.base import BaseEstimator, OutlierMixin, clone

from occstats_descriptors import ALP, ExternalDetector, make
from occstats_descriptors.external import make_external

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(120, 3))
INSIDE, OUTSIDE = np.zeros((1, 3)), np.full((1, 3), 8.0)


class Distance(BaseEstimator):
    """A detector whose decision function is the distance to the mean."""

    def __init__(self, *, power=1.0):
        self.power = power

    def fit(self, X, y=None):
        self.mean_ = X.mean(axis=0)
        self.decision_scores_ = self.decision_function(X)
        self.labels_ = (self.decision_scores_ > np.quantile(self.decision_scores_, 0.9)).astype(int)
        return self

    def decision_function(self, X):
        return np.linalg.norm(X - self.mean_, axis=1) ** self.power


@pytest.fixture
def fake_pyod(monkeypatch):
    """Make a package like PyOD, whose models derive from pyod.models.base.BaseDetector."""
    for name in ("pyod", "pyod.models", "pyod.models.base", "pyod.models.distance"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    base = type("BaseDetector", (BaseEstimator,), {"__module__": "pyod.models.base"})
    model = type("Model", (Distance, base), {"__module__": "pyod.models.distance"})
    sys.modules["pyod.models.base"].BaseDetector = base
    sys.modules["pyod.models.distance"].Model = model
    return model


@pytest.mark.parametrize(
    "path",
    [
        "sklearn.svm:OneClassSVM",
        "sklearn.ensemble:IsolationForest",
        "sklearn.neighbors:LocalOutlierFactor",
    ],
)
def test_scikit_learn_detectors_are_high_inside(path):
    parameters = {"random_state": 0} if path.endswith("Forest") else {}
    descriptor = make(path, **parameters).fit(ROWS + 5.0)
    assert descriptor.score_samples(INSIDE + 5.0) > descriptor.score_samples(OUTSIDE + 5.0)
    np.testing.assert_array_equal(
        descriptor.score_samples(ROWS), descriptor.detector_.score_samples(ROWS)
    )


def test_pyod_scores_change_sign(fake_pyod):
    descriptor = make("pyod.models.distance:Model", power=2.0)
    assert isinstance(descriptor.detector, fake_pyod)
    descriptor.fit(ROWS)
    assert descriptor.score_samples(INSIDE) > descriptor.score_samples(OUTSIDE)
    np.testing.assert_array_equal(
        descriptor.score_samples(ROWS), -descriptor.detector_.decision_function(ROWS)
    )
    # The threshold is the tenth percentile of the scores that the detector stores.
    kept = -descriptor.detector_.decision_scores_
    assert descriptor.offset_ == pytest.approx(np.quantile(kept, 0.1))


def test_real_pyod():
    pytest.importorskip("pyod", reason="pyod is not installed")
    descriptor = make("pyod.models.ecod:ECOD").fit(ROWS)
    assert descriptor.score_samples(INSIDE) > descriptor.score_samples(OUTSIDE)


def test_scores_that_contradict_labels_are_refused(fake_pyod):
    class Wrong(fake_pyod):
        def decision_function(self, X):
            return -super().decision_function(X)

        def fit(self, X, y=None):
            super().fit(X)
            self.decision_scores_ = -self.decision_scores_
            self.labels_ = (self.decision_scores_ < np.median(self.decision_scores_)).astype(int)
            return self

    with pytest.raises(ValueError, match="Wrong contradict its own labels"):
        ExternalDetector(detector=Wrong()).fit(ROWS)


def test_a_scikit_learn_detector_that_scores_the_wrong_way_is_refused():
    class Wrong(OutlierMixin, Distance):
        def predict(self, X):
            return np.where(self.decision_function(X) > 2.5, -1, 1)

    with pytest.raises(ValueError, match="pass orientation='normal' or 'outlier'"):
        ExternalDetector(detector=Wrong()).fit(ROWS)
    right = ExternalDetector(detector=Wrong(), orientation="outlier").fit(ROWS)
    assert right.score_samples(INSIDE) > right.score_samples(OUTSIDE)


def test_unknown_kinds_need_an_orientation():
    with pytest.raises(ValueError, match="meaning of high scores of Distance is unknown"):
        ExternalDetector(detector=Distance()).fit(ROWS)
    descriptor = ExternalDetector(detector=Distance(), orientation="outlier").fit(ROWS)
    assert descriptor.score_samples(INSIDE) > descriptor.score_samples(OUTSIDE)


def test_clone_and_parameters():
    descriptor = make_external("sklearn.neighbors:LocalOutlierFactor", n_neighbors=7)
    copy = clone(descriptor).set_params(detector__n_neighbors=9)
    assert descriptor.get_params()["detector__n_neighbors"] == 7
    assert copy.fit(ROWS).detector_.n_neighbors_ == 9
    assert copy.detector_.novelty
    assert not hasattr(copy.detector, "n_neighbors_")


def test_classes_and_functions_of_a_file(tmp_path):
    path = tmp_path / "own.py"
    path.write_text("""
from sklearn.neighbors import LocalOutlierFactor
class Own(LocalOutlierFactor):
    def __init__(self, k=5): super().__init__(n_neighbors=k, novelty=True); self.k = k
class Old(LocalOutlierFactor):
    def __init__(self, k=5): super().__init__(n_neighbors=k); self.k = k
class Plain:
    def fit(self, X, y=None): self.centre = X.mean(axis=0); return self
    def decision_function(self, X): return abs(X - self.centre).sum(axis=1)
def oriented(orientation="outlier"):
    from occstats_descriptors import ExternalDetector
    return ExternalDetector(detector=Plain(), orientation=orientation)
""")
    descriptor = make_external(f"{path}:Own", k=7).fit(ROWS)
    assert descriptor.score_samples(INSIDE) > descriptor.score_samples(OUTSIDE)
    with pytest.raises(ValueError, match="Old cannot score new rows: it has novelty=False"):
        make_external(f"{path}:Old")
    # A function can say what high scores of a class of any kind mean.
    with pytest.raises(ValueError, match=r"of Plain is unknown: .* name a function that returns"):
        make_external(f"{path}:Plain")
    plain = make_external(f"{path}:oriented")
    assert not hasattr(plain.fit(ROWS).detector, "centre")
    assert plain.score_samples(INSIDE) > plain.score_samples(OUTSIDE)
    with pytest.raises(TypeError, match=r"no parameter 'orient' \(did you mean 'orientation'\?\)"):
        make_external(f"{path}:oriented", orient="normal")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x = 1\nclass A(:\n", "line 2: SyntaxError: invalid syntax"),
        (b"if 1:\nx = 1\n", "line 2: IndentationError: expected an indented block"),
        (b"\n1/0\n", "line 2: ZeroDivisionError: division by zero"),
        (b"\x00\xff\x80", "(SyntaxError|ValueError): "),
        (b"raise SystemExit(3)", "line 1: SystemExit: 3"),
        (b"open('nofile')", "line 1: FileNotFoundError: .*'nofile'"),
    ],
)
def test_a_file_that_cannot_be_imported(content, message, tmp_path):
    path = tmp_path / "own.py"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"own\.py:A' cannot be imported: {message}"):
        make_external(f"{path}:A")
    with pytest.raises(ValueError, match=r"there is no file '.*none\.py'"):
        make_external(f"{tmp_path / 'none.py'}:A")


def test_local_outlier_factor_keeps_its_own_training_scores():
    descriptor = make_external("sklearn.neighbors:LocalOutlierFactor").fit(ROWS)
    expected = np.quantile(descriptor.detector_.negative_outlier_factor_, 0.1)
    assert descriptor.offset_ == pytest.approx(expected)


def test_a_descriptor_of_this_package_is_not_wrapped():
    assert isinstance(make("occstats_descriptors.alp:ALP", k=3), ALP)


def test_one_score_per_row_is_required():
    class Wide(OutlierMixin, Distance):
        def score_samples(self, X):
            return np.zeros((len(X), 2))

    descriptor = ExternalDetector(detector=Wide(), orientation="normal")
    with pytest.raises(ValueError, match="must give one score per row"):
        descriptor.fit(ROWS).score_samples(ROWS)
