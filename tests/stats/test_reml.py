"""Variance components: R's lme4 on three published tables, and bad input."""

import numpy as np
import pytest

import occstats
from occstats.stats import variance_components

# library(lme4); cat(Dyestuff$Yield); cat(Dyestuff2$Yield); cat(Pastes$strength)
DYESTUFF = """1545 1440 1440 1520 1580 1540 1555 1490 1560 1495 1595 1550 1605 1510 1560 1445 1440
1595 1465 1545 1595 1630 1515 1635 1625 1520 1455 1450 1480 1445"""
DYESTUFF2 = """7.298 3.846 2.434 9.566 7.99 5.22 6.556 0.608 11.788 -0.892 0.11 10.386 13.434 5.51
8.166 2.212 4.852 7.092 9.288 4.98 0.282 9.014 4.458 9.446 7.198 1.722 4.782 8.106 0.758 3.758"""
PASTES = """62.8 62.6 60.1 62.3 62.7 63.1 60 61.4 57.5 56.9 61.1 58.9 58.7 57.5 63.9 63.1 65.4 63.7
57.1 56.4 56.9 58.6 64.7 64.5 55.1 55.1 54.7 54.2 58.8 57.5 63.4 64.9 59.3 58.1 60.5 60 62.5 62.6 61
58.7 56.9 57.7 59.2 59.4 65.2 66 64.8 64.1 54.8 54.8 64 64 57.7 56.8 58.3 59.3 59.2 59.2 58.9
56.6"""


def numbers(text):
    return np.array(text.split(), dtype=float)


# control <- lmerControl(optimizer="bobyqa", optCtrl=list(rhoend=1e-12))
# as.data.frame(VarCorr(lmer(Yield ~ 1 + (1 | Batch), Dyestuff, control=control)))$vcov
# as.data.frame(VarCorr(lmer(strength ~ 1 + (1 | batch/cask), Pastes, control=control)))$vcov
@pytest.mark.parametrize(
    ("values", "levels", "expected"),
    [
        (numbers(DYESTUFF), [np.arange(30) // 5], [1764.049949, 2451.250011]),
        (numbers(DYESTUFF2), [np.arange(30) // 5], [0, 13.80630963]),
        (
            numbers(PASTES),
            [np.arange(60) // 6, np.arange(60) // 2 % 3],
            [1.6573090814, 8.4336666204, 0.6779999841],
        ),
    ],
)
def test_equals_lme4(values, levels, expected):
    assert variance_components(values, *levels) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_equals_lme4_with_datasets_of_unequal_size():
    scores = occstats.load_results("lenz2021").scores
    found = variance_components(scores["ALP"] - scores["SVM"], scores.index.get_level_values(0))
    # VarCorr(lmer(x ~ 1 + (1 | dataset), d, control=control))
    assert found == pytest.approx([0.001874937688, 0.002027001403], rel=1e-5)


def test_equal_values_have_no_variance():
    assert variance_components([1.0] * 4, list("aabb")).tolist() == [0, 0]
