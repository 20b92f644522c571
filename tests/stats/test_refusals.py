"""Arguments that every statistic refuses, with the rule and the value received."""

import numpy as np
import pytest

from occstats.errors import ArgumentError
from occstats.stats import (
    Sample,
    adjust,
    adjust_pairs,
    bayesian_signed_rank,
    bootstrap_means,
    cluster_weights,
    clustered_mcnemar,
    clustered_wilcoxon,
    complementary_pairs,
    kendall_jackknife,
    kendall_matrix,
    mean_ranks,
    mean_tests,
    minimal_detectable_difference,
    pair_effects,
    random_effects,
    rank_frequencies,
    rank_strata,
    smallest_p,
    task_ranks,
    typical_tests,
    variance_components,
    weighted_regression,
)
from occstats.stats.clusters import Clusters
from occstats.stats.friedman import friedman

NAN, INFINITY = float("nan"), float("inf")
TWO = {"scores": [[0.5, 0.2], [0.4, 0.3]], "clusters": ["a", "b"]}
FAILED = Sample(np.array([[0.5, -INFINITY], [0.4, 0.3]]), Clusters.of(["a", "b"]))
# For each function, arguments that it takes, and changes of them that it does not.
REFUSED = {
    clustered_wilcoxon: (
        {"x": [1.0, -2.0, 3.0], "clusters": [1, 1, 2]},
        [
            ({"test": "wilcoxon"}, "test must be one of rgl, ds; got 'wilcoxon'"),
            ({"null": "normal"}, "null must be one of"),
            ({"alternative": "two.sided"}, "alternative must be one of"),
            ({"engine": "julia"}, "engine must be one of"),
            ({"test": "ds", "null": "exact"}, "use null='permutation'"),
            ({"tie_tolerance": -1e-9}, "tie_tolerance must be"),
            ({"tie_tolerance": NAN}, "tie_tolerance must be"),
            ({"tie_tolerance": 1e-320}, "too small"),
            ({"n_resamples": 0}, "n_resamples must be an integer of at least 1; got 0"),
            ({"null": "permutation", "random_state": -1}, "random_state must be"),
            ({"x": [1, NAN, 2]}, "1 values are NaN"),
            ({"x": [1, INFINITY, 2]}, "1 values are infinite"),
            ({"x": ["a", "b", "c"]}, "x must hold numbers"),
            ({"x": [[1, 2, 3]]}, "x must have 1 dimension"),
            ({"clusters": ["a", "b"]}, r"one label per task \(3\)"),
            ({"clusters": ["a", None, "b"]}, "1 tasks have no label"),
            ({"clusters": ["a", NAN, "b"]}, "1 tasks have no label"),
        ],
    ),
    typical_tests: (
        TWO,
        [
            ({"test": "wilcoxon"}, "test must be one of rgl, ds"),
            ({"null": "exact"}, "null must be one of flips, asymptotic"),
            ({"alternative": "both"}, "alternative must be one of"),
            ({"alpha": 5}, "alpha must be strictly between 0 and 1"),
            ({"n_resamples": 0}, "n_resamples must be an integer of at least 1"),
            ({"control": 2}, "control must be"),
            ({"family": np.ones(2, bool)}, r"one boolean per pair \(1\); got shape"),
        ],
    ),
    mean_tests: (
        TWO,
        [
            ({"scores": FAILED, "clusters": None}, "give failed runs a score"),
            ({"control": 7}, "control must be a column from 0 to 1; got 7"),
            ({"null": "flips"}, "null must be one of bootstrap, asymptotic"),
        ],
    ),
    bayesian_signed_rank: (
        TWO,
        [
            ({"rope": -1}, "rope must be a number of 0 or more; got -1"),
            ({"prior_weight": -1}, "prior_weight must be a number of 0 or more; got -1"),
        ],
    ),
    clustered_mcnemar: (TWO, [({}, "must be 0 or 1")]),
    kendall_matrix: (
        TWO,
        [
            ({"clusters": ["a"]}, r"one label per task \(2\)"),
        ],
    ),
    kendall_jackknife: (TWO, [({"confidence": 95}, "confidence must be strictly between")]),
    pair_effects: (TWO, [({"confidence": 95}, "confidence must be strictly between")]),
    bootstrap_means: (
        {"values": [1.0, 2.0], "clusters": ["a", "b"]},
        [({"confidence": 95}, "confidence must be strictly between")],
    ),
    smallest_p: ({"n_clusters": 5}, [({"alternative": "two sided"}, "alternative must be")]),
    minimal_detectable_difference: (
        {"standard_deviation": 0.1, "n_clusters": 5},
        [({"alternative": "two sided"}, "alternative must be")],
    ),
    complementary_pairs: (
        TWO,
        [
            ({"scores": [[1.0], [2.0]]}, "at least two columns"),
            ({"clusters": ["a"]}, r"one label per task \(2\); got shape"),
            ({"scores": [[1.0, NAN], [0.4, 0.3]]}, "must not contain missing values"),
        ],
    ),
    adjust: (
        {},
        [({"p": [0.5, 1.5]}, "values from 0 to 1"), ({"p": [[0.5]]}, "one dimension")],
    ),
    adjust_pairs: (
        {"p_matrix": np.full((4, 4), 0.5)},
        [
            ({"family": "column"}, "family must be one of"),
            ({"correction": "sidak"}, "correction must be one of"),
            ({"alternative": "both"}, "alternative must be one of"),
            ({"family": "control"}, r"control must be the column of an algorithm \(0 to 3\)"),
            ({"family": "control", "control": 4}, "got 4"),
            ({"p_matrix": np.zeros((2, 3))}, "p_matrix must be square"),
        ],
    ),
    friedman: ({}, [({"scores": [[NAN, 0.1]]}, "at least two algorithms and one complete row")]),
    task_ranks: ({}, [({"scores": [[0.5, NAN]]}, "scores must not contain missing values")]),
    cluster_weights: (
        {},
        [({"clusters": []}, "at least one task"), ({"clusters": [["a"]]}, "one label per task")],
    ),
    rank_frequencies: ({"ranks": [[1, 2]]}, [({"weights": [0.5, 0.5]}, "one weight per task")]),
    mean_ranks: ({"ranks": [[1, 2]]}, [({"weights": [-1]}, "not negative")]),
    rank_strata: (
        {"ranks": [[1, 2], [2, 1]], "trait": [0.5, 0.9], "clusters": ["a", "b"]},
        [
            ({"n_strata": 0}, "n_strata must be an integer of at least 1"),
            ({"trait": [0.5]}, "same tasks; got 2, 1 and 2"),
            ({"trait": [0.5, NAN]}, "trait must not contain missing values"),
        ],
    ),
    weighted_regression: (
        {
            "y": [1, 2, 3, 5],
            "design": [[1, 0], [1, 1], [1, 2], [1, 3]],
            "terms": ["intercept", "x"],
            "clusters": [1, 2, 3, 4],
        },
        [
            ({"inference": "hc9"}, "inference must be one of"),
            ({"confidence": 95}, "confidence must be strictly between 0 and 1; got 95"),
            ({"terms": ["a"]}, "a column for each of the 1 terms"),
            ({"weights": [1, 1, 0, 1]}, r"one positive weight per observation \(4\)"),
            ({"clusters": None}, "clusters must be given for inference 'cr2'"),
            ({"y": [1, 2, 3]}, "a row for each of the 3 values of y"),
        ],
    ),
    random_effects: (
        {"effects": [1.0, 2.0]},
        [
            ({"effects": [INFINITY, 1.0]}, "effects must be a finite"),
            ({"variances": [1.0, 2.0, 3.0]}, "variances must be a number"),
            ({"variances": [1.0, -2.0]}, "variances must be at least 0"),
            ({"variances": [1.0, NAN]}, "variances must be at least 0"),
        ],
    ),
    (lambda level: variance_components([1.0, 2.0, 3.0, 5.0], *level)): (
        {},
        [
            ({"level": ()}, "one level"),
            ({"level": [list("abcd")]}, "no group has two"),
            ({"level": [list("aaaa")]}, "at least two"),
        ],
    ),
}


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (function, {**complete, **change}, message)
        for function, (complete, changes) in REFUSED.items()
        for change, message in changes
    ],
)
def test_refusals(function, arguments, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        function(**arguments)
    assert "\n" not in str(caught.value)
