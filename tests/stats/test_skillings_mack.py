"""Skillings-Mack: the published example, Friedman's test as the case without gaps, invariances."""

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from occstats.errors import ArgumentError
from occstats.stats.skillings_mack import skillings_mack

NAN = np.nan
# Skillings and Mack (1981), table 1: assembly times, 9 blocks, 4 methods. The paper gives
# T = 15.493 with 3 degrees of freedom, as does Ski.Mack of the R package Skillings.Mack.
ASSEMBLY = np.array(
    [
        [3.2, 4.1, 3.8, 4.2],
        [3.1, 3.9, 3.4, 4.0],
        [4.3, 3.5, 4.6, 4.8],
        [3.5, 3.6, 3.9, 4.0],
        [3.6, 4.2, 3.7, 3.9],
        [4.5, 4.7, 3.7, NAN],
        [NAN, 4.2, 3.4, NAN],
        [4.3, 4.6, 4.4, 4.9],
        [3.5, NAN, 3.7, 3.9],
    ]
)


def test_published_example():
    result = skillings_mack(ASSEMBLY)
    assert result.statistic == pytest.approx(15.493, abs=5e-4)  # as printed
    assert result.df == 3
    assert result.p == pytest.approx(0.00144, abs=5e-6)


# source("R/Ski.Mack.R") of the R package Skillings.Mack 1.10 under R 4.2.2, which prints six
# decimals: Ski.Mack(a) for a = the table above, transposed, then a[2, 1] <- 3.8, a[4, 3] <- 4.6
@pytest.mark.parametrize(
    ("tied", "statistic", "p"), [(False, 15.493049, 0.001440), (True, 14.130180, 0.002733)]
)
def test_as_in_r(tied, statistic, p):
    scores = ASSEMBLY.copy()
    if tied:
        scores[0, 1], scores[2, 3] = 3.8, 4.6
    result = skillings_mack(scores)
    assert result.statistic == pytest.approx(statistic, abs=5e-7)
    assert result.p == pytest.approx(p, abs=5e-7)


def test_without_gaps_it_is_friedmans_test():
    scores = np.random.default_rng(0).random((20, 5))
    result = skillings_mack(scores)
    friedman = friedmanchisquare(*scores.T)
    # The same sum through a pseudo-inverse.
    assert result.statistic == pytest.approx(friedman.statistic, rel=1e-10)
    assert result.p == pytest.approx(friedman.pvalue, rel=1e-10)


def test_order_direction_and_scale_do_not_matter():
    rng = np.random.default_rng(1)
    whole = skillings_mack(ASSEMBLY)
    for other in (ASSEMBLY[rng.permutation(9)], -ASSEMBLY, np.exp(ASSEMBLY)):
        assert skillings_mack(other).statistic == pytest.approx(whole.statistic, rel=1e-10)
    order = [2, 0, 3, 1]
    np.testing.assert_allclose(skillings_mack(ASSEMBLY[:, order]).sums, whole.sums[order])


def test_tasks_with_one_score_say_nothing():
    more = np.vstack([ASSEMBLY, [[1.0, NAN, NAN, NAN], [NAN] * 4]])
    assert skillings_mack(more).n_tasks == 9
    assert skillings_mack(more).statistic == skillings_mack(ASSEMBLY).statistic


@pytest.mark.parametrize("scores", [[[1.0, NAN]], [[1.0], [2.0]], [[np.inf, 1.0]], []])
def test_what_cannot_be_tested(scores):
    with pytest.raises(ArgumentError, match="scores must"):
        skillings_mack(scores)
