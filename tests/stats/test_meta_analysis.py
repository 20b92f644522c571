"""Random-effects analysis: R's metafor, exact cases, and bad input."""

import numpy as np
import pytest
from scipy import optimize, stats

from occstats.stats import cluster_effects, random_effects

# library(metafor); dat <- escalc("RR", ai=tpos, bi=tneg, ci=cpos, di=cneg, data=dat.bcg)
# cat(dat$yi); cat(dat$vi)
BCG = np.array([
    [-0.889311333920205, 0.3255847650039614], [-1.585388657201431, 0.1945811213981438],
    [-1.348073148299693, 0.4153679653679654], [-1.441551190021305, 0.0200100319022476],
    [-0.217547322211296, 0.0512101721696309], [-0.786115585818864, 0.0069056184559088],
    [-1.620898223598392, 0.2230172475723152], [0.011952333523841, 0.0039615792978177],
    [-0.469417648738149, 0.0564342104632490], [-1.371344803472784, 0.0730247936130289],
    [-0.339358828338391, 0.0124122139715597], [0.445913400571379, 0.5325058452001528],
    [-0.017313948216880, 0.0714046596839863],
])  # fmt: skip
# r <- rma(yi, vi, method="PM", test="adhoc", control=list(tol=1e-14))
# print(c(coef(r), r$se, sqrt(r$tau2), r$I2 / 100), digits=12)
METAFOR = [
    (BCG[:, 0], BCG[:, 1],
     [-0.714968153493, 0.180892191538, 0.318068452205**0.5, 0.92330337954153]),
    ([0.10, 0.30, 0.35, 0.65], [0.03, 0.03, 0.05, 0.01],
     [0.3824318988640, 0.1230578931882, 0.0338660043926**0.5, 0.573358647513959]),
    ([0.1, 0.12, 0.11, 0.13, 0.09], [0.01] * 5,
     [0.11, 0.04472135955, 0, 0]),
]  # fmt: skip


@pytest.mark.parametrize(("effects", "variances", "expected"), METAFOR)
def test_equals_metafor(effects, variances, expected):
    found = random_effects(effects, variances)
    fields = ["mean", "standard_error", "tau", "i_squared"]
    assert found.loc[0, fields].tolist() == pytest.approx(expected, rel=1e-9)


def test_without_errors_the_prediction_is_students_and_the_probability_that_of_noncentral_t():
    y = np.array([0.1, 0.12, -0.11, 0.13, 0.09, 0.2])
    found, m, s = random_effects(y), 6, y.std(ddof=1)
    ends = stats.t(m - 1, y.mean(), s * np.sqrt(1 + 1 / m)).interval(0.95)
    assert [found.low[0], found.high[0]] == pytest.approx(ends, abs=1e-3)
    t = np.sqrt(m) * y.mean() / s

    def limit(share):
        delta = optimize.brentq(lambda d: stats.nct.cdf(t, m - 1, np.sqrt(m) * d) - share, -5, 9)
        return stats.norm.cdf(delta)

    assert found.probability_low[0] == pytest.approx(limit(0.975), abs=1e-3)
    assert found.probability_high[0] == pytest.approx(limit(0.025), abs=1e-3)


def test_changing_the_sign_mirrors_the_prediction():
    one, other = random_effects(*BCG.T), random_effects(-BCG[:, 0], BCG[:, 1])
    assert other.low[0] == pytest.approx(-one.high[0])
    assert other.probability[0] == pytest.approx(1 - one.probability[0])
    assert other.probability_low[0] == pytest.approx(1 - one.probability_high[0])


def test_columns_are_independent_and_missing_effects_are_left_out():
    effects = np.column_stack([BCG[:, 0], np.r_[BCG[:5, 0], np.full(8, np.nan)]])
    both, alone = random_effects(effects, BCG[:, 1]), random_effects(*BCG[:5].T)
    assert both.low[1] == pytest.approx(alone.low[0])
    assert both.n_datasets.tolist() == [13, 5]


def test_degenerate_effects():
    constant, equal = random_effects([0.1] * 4), random_effects([0.0] * 4)
    assert constant.low[0] == constant.high[0] == pytest.approx(0.1)
    assert constant.probability[0] == 1
    assert equal.probability[0] == 0.5
    assert np.isnan(random_effects([0.1, np.nan]).low).all()


def test_cluster_effects_pool_the_variance_within_clusters():
    means, variances = cluster_effects([1, 3, 5, 7, np.nan, 8], list("aabbbc"))
    assert means.ravel().tolist() == [2, 6, 8]
    assert variances.ravel().tolist() == [1, 1, 2]
