"""Neighbour search: exact, ordered by (distance, index), the same on all paths."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats_descriptors import NeighbourSearch, neighbours
from occstats_descriptors._kernels import block_search
from occstats_descriptors._kernels.block_search import BlockSearch
from tests.descriptors import references
from tests.descriptors.references import EXPONENTS


@pytest.fixture(autouse=True, scope="module")
def _compiled_search():
    """Search few rows with the compiled kernels, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "FEW_PAIRS", 0)
        yield


def exhaustive(queries, X, k, *, squared=False, excluded=None):
    """Return the k smallest reduced distances, sums in the order of the attributes, by index."""
    every = np.zeros((len(queries), len(X)))
    for f in range(X.shape[1]):
        difference = X[:, f][None, :] - queries[:, f][:, None]
        every += difference * difference if squared else np.abs(difference)
    if excluded is not None:
        every[np.arange(len(queries)), excluded] = np.nan
    indices = np.argsort(every, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(every, indices, axis=1), indices


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 40),
    m=st.integers(1, 9),
    metric=st.sampled_from(list(EXPONENTS)),
    integer=st.booleans(),
    data=st.data(),
)
def test_neighbours_are_those_of_the_definition(seed, n, m, metric, integer, data):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n, m)), rng.normal(size=(5, m))
    if integer:
        X, Y = np.round(2 * X), np.round(2 * Y)
    k = data.draw(st.integers(1, n - 1))
    search = NeighbourSearch(X, metric=metric)
    training, query = search.training(k), search.query(Y, k + 1)
    for found, rows, size in ((training, X, k), (query, Y, k + 1)):
        distances, indices = references.neighbours(
            rows, X, size, EXPONENTS[metric], training=rows is X
        )
        np.testing.assert_allclose(found.distances, distances, rtol=1e-13)
        np.testing.assert_array_equal(found.indices, indices)


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("digits", [1, 9])
def test_sorting_gives_the_bits_of_the_compiled_search(monkeypatch, metric, digits):
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(90, 7)).round(digits), rng.normal(size=(40, 7)).round(digits)

    def found():
        search = NeighbourSearch(X, metric=metric)
        return [search.training(11), search.query(Y, 90)]

    compiled = found()
    monkeypatch.setattr(neighbours, "MANY_NEIGHBOURS", 0)
    monkeypatch.setattr(block_search, "BlockSearch", None)
    for one, other in zip(compiled, found(), strict=True):
        np.testing.assert_array_equal(one.distances, other.distances)
        np.testing.assert_array_equal(one.indices, other.indices)


DATA = {
    "reals": lambda rng, n, m: rng.normal(size=(n, m)),
    "integers": lambda rng, n, m: rng.integers(0, 4, size=(n, m)) / 3,
    "far from the origin": lambda rng, n, m: 1e7 + rng.normal(size=(n, m)),
    "heavy tails": lambda rng, n, m: rng.standard_cauchy(size=(n, m)) ** 3,
    "duplicates": lambda rng, n, m: np.repeat(rng.normal(size=(-(-n // 9), m)), 9, axis=0)[:n],
    "tiny": lambda rng, n, m: 1e-150 * rng.normal(size=(n, m)),
    "huge": lambda rng, n, m: 1e150 * rng.normal(size=(n, m)),
}


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize(("m", "squared"), [(3, True), (18, False)])
def test_neighbours_do_not_depend_on_threads_or_their_number(kind, m, squared):
    rng = np.random.default_rng(3)
    X = DATA[kind](rng, 1500, m)
    queries, none = DATA[kind](rng, 150, m), np.full(150, -1)
    expected = exhaustive(queries, X, 90, squared=squared)
    for threads, k in ((1, 90), (3, 20)):
        search = BlockSearch(X, squared=squared, threads=threads)
        distances, indices = search.search(queries, k, none)
        np.testing.assert_array_equal(indices, expected[1][:, :k])
        np.testing.assert_array_equal(distances, expected[0][:, :k])


@pytest.mark.parametrize("m", [2, 6])
@pytest.mark.parametrize("copies", [1, 2, 40])
def test_a_training_row_is_not_its_own_neighbour(m, copies):
    rng = np.random.default_rng(5)
    X = np.repeat(rng.normal(size=(2400 // copies, m)), copies, axis=0)[rng.permutation(2400)]
    found = NeighbourSearch(X).training(30)
    assert not (found.indices == np.arange(2400)[:, None]).any()
    sample = rng.choice(2400, 60, replace=False)
    distances, indices = exhaustive(X[sample], X, 30, excluded=sample)
    np.testing.assert_array_equal(found.indices[sample], indices)
    np.testing.assert_array_equal(found.distances[sample], distances)


@pytest.mark.parametrize("n", [80, 600])
def test_all_rows_can_be_neighbours(lattice, n):
    X, Y = np.resize(lattice[0], (n, 3)), lattice[1]
    found = NeighbourSearch(X).query(Y, n)
    assert (np.sort(found.indices, axis=1) == np.arange(n)).all()
    np.testing.assert_array_equal(found.indices, exhaustive(Y, X, n)[1])
    assert NeighbourSearch(X).training(n - 1).k == n - 1


def test_numbers_near_the_largest_have_no_nan():
    X = np.array([[1e308, 1e308], [-1e308, 1e308], [0, 1e308], [1, 1]])
    found = NeighbourSearch(X).query(X, 4)
    assert not np.isnan(found.distances).any()
    assert (found.distances[:, 0] == 0).all()


def test_later_changes_to_the_data_do_not_matter():
    X = np.array([[0.0], [1.0], [5.0]])
    search = NeighbourSearch(X)
    X[:] = 0
    assert search.query([[5.0]], 1).indices.tolist() == [[2]]


def test_refuses_wrong_data(cloud):
    X, Y = cloud
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        NeighbourSearch(X[:1])
    with pytest.raises(ValueError, match="contains NaN"):
        NeighbourSearch([[0.0], [np.nan]])
    search = NeighbourSearch(X)
    with pytest.raises(ValueError, match="Y has 2 features, but NeighbourSearch is expecting 4"):
        search.query(Y[:, :2], 1)
