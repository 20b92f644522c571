"""The design of a benchmark: smallest p-values, detectable differences and power."""

import numpy as np
import pytest
from scipy.stats import norm

from tests.comparison.synthetic import compare, table


def test_design_of_the_paper(lenz):
    design = lenz(preset="paper").design
    assert (design.n_clusters, design.family_size) == (50, 8)
    # Z is at most the root of the number of datasets.
    assert design.smallest_p == pytest.approx(norm.sf(np.sqrt(50)))
    assert design.smallest_p_corrected == pytest.approx(8 * design.smallest_p)
    assert design.possible
    frame = design.detectable
    assert (frame["minimal_detectable_corrected"] > frame["minimal_detectable"]).all()


@pytest.mark.parametrize(
    ("n_clusters", "settings", "least", "needed"),
    [
        # Sign flips of m datasets, two-sided: 2^(1 − m), whatever the number of pairs.
        (3, {}, "0.25", 6),
        (5, {"alpha": 0.01}, "0.063", 8),
        # 2^−3 = 0.125, times two tests in a row of three algorithms; 2^−6 · 2 ≤ 0.05.
        (3, {"preset": "paper", "null": "flips"}, "0.25", 6),
        (3, {"preset": "paper", "null": "flips", "correction": "none"}, "0.13", 5),
        # A correction that steps up multiplies by 1 where all p-values are equally small.
        (3, {"preset": "paper", "null": "flips", "correction": "hochberg"}, "0.13", 5),
    ],
)
def test_too_few_datasets_show_nothing(n_clusters, settings, least, needed):
    found = compare(table([2] * n_clusters), **settings)
    assert f"no corrected p-value can be below {least}; at least {needed} datasets" in " ".join(
        found.verdict.split()
    )
    assert set(found.pairwise_full["conclusion"]) == {"undecided"}
    assert found.summary["rank_low"].eq(1).all()
    assert found.summary["rank_high"].eq(3).all()
    # With as many as it takes there is a verdict.
    assert "cannot show" not in compare(table([2] * needed), **settings).verdict
