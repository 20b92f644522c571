"""Neighbours by codes of eight bits: a bound that holds, and the same rows as without."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats_descriptors import _knn_search
from occstats_descriptors._code_tile import LANES, ORDER, measure_codes, tile_of_codes
from occstats_descriptors._knn_blocks import kd_order, natural_order
from occstats_descriptors._knn_codes import FEATURES, Codes, _coded
from occstats_descriptors._knn_search import BlockSearch
from tests.descriptors.test_neighbours import exhaustive


def outlying(rng, n, m):
    rows = rng.normal(size=(n, m))
    rows[:: max(1, n // 7)] *= 10.0 ** rng.integers(0, 200, size=(len(rows[:: max(1, n // 7)]), 1))
    return rows


DATA = {
    "reals": lambda rng, n, m: rng.normal(size=(n, m)),
    "few values": lambda rng, n, m: rng.integers(0, 4, size=(n, m)) / 3,
    "duplicates": lambda rng, n, m: np.repeat(rng.normal(size=(-(-n // 9), m)), 9, axis=0)[:n],
    "constant attributes": lambda rng, n, m: np.where(np.arange(m) % 3, 7.1, rng.random((n, m))),
    "scales apart": lambda rng, n, m: rng.normal(size=(n, m)) * 10.0 ** np.linspace(-200, 200, m),
    "heavy tails": lambda rng, n, m: rng.standard_cauchy(size=(n, m)) ** 3,
    "clusters": lambda rng, n, m: rng.normal(size=(n, m)) + 1e6 * rng.integers(0, 3, size=(n, 1)),
    "outlying rows": outlying,
    "far from the origin": lambda rng, n, m: 1e12 + rng.normal(size=(n, m)),
    "mostly zero": lambda rng, n, m: (rng.random((n, m)) < 1e-3) * rng.normal(size=(n, m)),
    "huge": lambda rng, n, m: 1e270 * rng.normal(size=(n, m)),
    "tiny": lambda rng, n, m: 1e-270 * rng.normal(size=(n, m)),
    "with subnormal numbers": lambda rng, n, m: np.where(
        rng.random((n, m)) < 0.5, 5e-324 * rng.integers(0, 9, (n, m)), rng.normal(size=(n, m))
    ),
}


@pytest.mark.parametrize("tile", [measure_codes, tile_of_codes(portable=True)])
@pytest.mark.parametrize(("tiles", "groups"), [(1, 1), (3, 5), (9, 2), (2, 700)])
def test_sums_of_codes_are_those_of_the_definition(tile, tiles, groups):
    rng = np.random.default_rng(0)
    points = rng.integers(0, 256, size=(tiles * LANES, 8 * groups), dtype=np.uint8)
    queries = rng.integers(0, 256, size=(4, 8 * groups), dtype=np.uint8)
    points[0], queries[0] = 255, 0  # the largest sum
    expected = np.abs(points[None].astype(int) - queries[:, None]).sum(axis=2)
    limits = np.append(np.median(expected, axis=1)[:3], -1).astype(np.int32)
    words = points.view(np.uint64).reshape(tiles, LANES, groups)[:, ORDER]
    laid_out = np.ascontiguousarray(words.transpose(0, 2, 1))
    row = -(-tiles // 8)
    out, masks = np.empty((4, tiles * LANES), np.int32), np.zeros((4, row), np.uint64)

    @numba.njit
    def measured(points, queries, limits, out, masks):
        tile(points, 0, tiles, groups, queries, 0, limits, out, masks, row)

    measured(laid_out, queries.view(np.uint64), limits, out, masks)
    np.testing.assert_array_equal(out, expected)
    bits = np.unpackbits(masks.view(np.uint8), axis=1, bitorder="little")
    np.testing.assert_array_equal(bits[:, : tiles * LANES], expected <= limits[:, None])


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 10_000), m=st.integers(1, 40), kind=st.sampled_from(list(DATA)),
    asked=st.sampled_from(list(DATA)),
)  # fmt: skip
def test_no_distance_is_below_its_bound(seed, m, kind, asked):
    rng = np.random.default_rng(seed)
    X = DATA[kind](rng, 60, m)
    queries = np.vstack([DATA[asked](rng, 20, m), X[:5], 1.5 * X[:5], -1e3 * X[:5]])
    codes = Codes.of(X, natural_order(60, 16), boxes=True)
    if codes is None:
        return
    words, errors, _, gained = _coded(queries, codes.centre, codes.per_width, codes.ends)
    own, _, _, _ = _coded(X, codes.centre, codes.per_width, codes.ends)
    sums = np.abs(
        own.view(np.uint8)[None, :60].astype(int) - words.view(np.uint8)[: len(queries), None]
    ).sum(axis=2)
    with np.errstate(over="ignore"):
        distances = np.abs(X[None] - queries[:, None]).sum(axis=2) * codes.per_width
    bounds = sums - codes.error - errors[:, None] + gained[:, None]
    assert (bounds <= distances * (1 + 1e-14)).all()


@pytest.mark.parametrize("asked", ["its own", "reals", "outlying rows"])
@pytest.mark.parametrize("kind", DATA)
def test_neighbours_by_codes_are_those_of_the_definition(kind, asked):
    rng = np.random.default_rng(1)
    X = DATA[kind](rng, 1500, 21)
    queries = DATA[kind if asked == "its own" else asked](rng, 70, 21)
    queries = np.vstack([queries, X[:31]])
    excluded = np.append(np.full(70, -1), np.arange(31))
    codes = Codes.of(X, kd_order(X, 128), boxes=True)
    assert codes is not None
    with np.errstate(over="ignore"):
        every = np.zeros((len(queries), len(X)))
        for f in range(21):
            every += np.abs(X[:, f][None, :] - queries[:, f][:, None])
    every[np.arange(70, 101), np.arange(31)] = np.nan
    indices = np.argsort(every, axis=1, kind="stable")
    for k, capacity in ((1, 3), (7, 40), (40, 200), (300, 1501)):
        found, rows, certain = codes.nearest(queries, excluded, k, capacity, 64)
        if capacity > len(X) and kind == asked == "reals":  # nothing is left out
            assert certain.all()
        np.testing.assert_array_equal(rows[certain], indices[certain, :k])
        expected = np.take_along_axis(every, indices[:, :k], axis=1)
        np.testing.assert_array_equal(found[certain], expected[certain])


@pytest.mark.parametrize("scale", [1e308, 1e-300, 0.0])
def test_what_has_no_codes_is_searched_without(monkeypatch, scale):
    monkeypatch.setattr(_knn_search, "WORTH_FILTER", 0)
    X = scale * np.random.default_rng(2).uniform(-1, 1, size=(600, 17))
    assert Codes.of(X, natural_order(600, 32), boxes=True) is None
    with np.errstate(over="ignore"):
        distances, indices = BlockSearch(X, squared=False, threads=1).search(
            X[:150], 5, np.full(150, -1)
        )
        expected = exhaustive(X[:150], X, 5)
    np.testing.assert_array_equal(indices, expected[1])
    np.testing.assert_array_equal(distances, expected[0])


def test_too_many_attributes_or_too_large_ones_have_no_codes():
    X = np.random.default_rng(3).normal(size=(32, FEATURES))
    assert Codes.of(X, natural_order(32, 32), boxes=False) is None
    X = X[:, :2000]
    assert Codes.of(X, natural_order(32, 32), boxes=False) is not None
    X[:, 0] = 1.7e308  # the sum of these is infinite
    assert Codes.of(X, natural_order(32, 32), boxes=False) is None


@pytest.mark.parametrize("m", [18, 300])
def test_codes_are_used_where_they_suffice(monkeypatch, m):
    monkeypatch.setattr(_knn_search, "WORTH_FILTER", 0)
    rng = np.random.default_rng(4)
    calls = []
    monkeypatch.setattr(BlockSearch, "_nearest", lambda *arguments: calls.append(arguments))
    X, queries = rng.normal(size=(2500, m)), rng.normal(size=(150, m))
    distances, indices = BlockSearch(X, squared=False, threads=1).search(
        queries, 20, np.full(150, -1)
    )
    assert not calls
    expected = exhaustive(queries, X, 20)
    np.testing.assert_array_equal(indices, expected[1])
    np.testing.assert_array_equal(distances, expected[0])
