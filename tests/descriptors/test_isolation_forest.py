"""The isolation forest against scikit-learn's and against its formula."""

import numpy as np
import pytest
import sklearn
from packaging.version import Version
from sklearn.ensemble import IsolationForest

from occstats_descriptors import IF

ROWS = np.random.default_rng(0).normal(size=(400, 3))


def drawn(n, m, kind, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, m))
    if kind == "integer":
        rows = np.round(rows)
    elif kind == "partly constant":
        rows[:, ::2] = 3.0
        rows[:, 1::4] = np.round(rows[:, 1::4])
    elif kind == "equal":
        rows[:] = rows[0]
    elif kind == "tiny and huge":
        rows *= 10.0 ** rng.integers(-9, 60, size=m)
    return rows


# Subsamples of at most 1 %, of 1 to 99 %, of more and of all rows are drawn in different ways.
@pytest.mark.parametrize(
    ("n", "m", "subsample"), [(2, 1, 256), (40, 30, 256), (258, 5, 256), (900, 6, 100), (900, 3, 7)]
)
@pytest.mark.parametrize(
    "kind", ["gaussian", "integer", "partly constant", "equal", "tiny and huge"]
)
def test_scores_are_one_minus_the_anomaly_scores_of_scikit_learn(n, m, subsample, kind):
    if kind == "tiny and huge" and Version(sklearn.__version__) < Version("1.9"):
        pytest.skip("older scikit-learns grow other trees on attributes of extreme scales")
    rows = drawn(n, m, kind)
    queries = np.vstack([rows[:200], rows[:200] * 1.5])
    size, seed = min(n, subsample), 2**32 - 1 if kind == "integer" else 0
    forest = IsolationForest(n_estimators=30, max_samples=size, random_state=seed).fit(
        np.clip(rows, -1e38, 1e38)
    )
    expected = 1 + forest.score_samples(np.clip(queries, -1e38, 1e38))
    found = IF(n_trees=30, subsample=subsample, random_state=seed).fit(rows)
    np.testing.assert_array_equal(found.score_samples(queries), expected)


def test_a_generator_continues_as_in_scikit_learn():
    forest = IsolationForest(max_samples=256, random_state=np.random.RandomState(5)).fit(ROWS)
    found = IF(random_state=np.random.RandomState(5)).fit(ROWS)
    expected = 1 + forest.score_samples(ROWS)
    np.testing.assert_array_equal(found.score_samples(ROWS), expected)


# Made by scikit-learn 0.22.1 (Python 3.11, numpy 1.23.5), with n, m, decimals and seed as here:
#   rows = np.random.RandomState(1).normal(size=(n, m)).round(decimals)
#   forest = IsolationForest(random_state=seed, max_samples=min(256, n), behaviour="new").fit(rows)
#   (1 + forest.score_samples(rows[:4] * 1.5)).tolist()
MADE_BY_0_22 = {
    (30, 4, 2, 0): (
        0.4023570351302026,
        0.3799160077475957,
        0.43326199159428525,
        0.4585006607916017,
    ),
    (400, 3, 8, 0): (0.4525995059814487, 0.3749275881469527, 0.43137737411335353, 0.37173226778033),
    (400, 3, 1, 7): (0.43909697551477134, 0.3940112425270078, 0.447360391083084, 0.396250262481369),
    (30000, 2, 8, 1): (0.3781049846714696, 0.4815204440434, 0.327997148560196, 0.35404783297227),
}


@pytest.mark.parametrize(("n", "m", "decimals", "seed"), MADE_BY_0_22)
def test_sampling_of_0_22_gives_the_values_of_that_release(n, m, decimals, seed):
    rows = np.random.RandomState(1).normal(size=(n, m)).round(decimals)
    found = IF(sampling="scikit-learn-0.22", random_state=seed).fit(rows)
    # a logarithm or a power of another library may differ in the last digit
    np.testing.assert_allclose(
        found.score_samples(rows[:4] * 1.5), MADE_BY_0_22[n, m, decimals, seed], rtol=1e-14
    )


@pytest.mark.parametrize("rows", [1e-9 * ROWS, 1e9 + ROWS])
def test_warns_of_rows_too_near_for_single_precision(rows):
    with pytest.warns(UserWarning, match="1e-7 in single precision"):
        assert len({*IF().fit(rows).score_samples(rows)}) == 1
