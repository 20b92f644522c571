"""One decision per pair: all parts of it agree, under every combination of settings."""

import ast
import functools
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.comparison import Settings
from occstats.comparison.decision import decide, within_bounds
from occstats.comparison.robustness import study_stability
from occstats.comparison.study import prepare
from occstats.errors import ArgumentError
from tests.comparison.synthetic import compare

PACKAGE = Path(occstats.__file__).parent
CASES = Path(__file__).parents[1] / "cases"
ESTIMANDS = ("typical", "mean")
TESTS = ("rgl", "ds")
CORRECTIONS = (
    "max-t", "holm", "hochberg", "bonferroni", "benjamini-hochberg", "benjamini-yekutieli", "none",
)  # fmt: skip
FAMILIES = ("all", "row", "control")
ALTERNATIVES = ("two-sided", "greater", "less")
NULLS = ("flips", "bootstrap", "asymptotic")
ALPHA = 0.1


def table(seed=3, m=12, missing=False):
    """Return five algorithms with ties; one has rare failures, one equals the best.

    `constant` is always the same amount below `top`.
    """
    rng = np.random.default_rng(seed)
    datasets = np.repeat(np.arange(m), rng.integers(1, 4, m))
    n = len(datasets)
    best = (0.7 + rng.normal(0, 0.08, m)[datasets] + rng.normal(0, 0.02, n)).round(2)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i}" for i in datasets],
            "class": [f"c{i}" for i in range(n)],
            "top": best,
            "twin": best,
            "constant": best - 0.03,
            "near": (best - rng.normal(0.01, 0.02, n)).round(2),
            "fails": np.where(datasets % 6 == 5, best - 0.5, best + 0.02).round(2),
        }
    )
    if missing:
        frame.loc[frame["dataset"] > "d1", "near"] = np.nan
        frame.loc[frame["dataset"] > "d4", "fails"] = np.nan
    return frame


@functools.cache
def loaded(missing):
    return occstats.load_results(table(missing=missing), lower_is_better=False)


def allowed(estimand, test, correction, family, alternative, null):
    """Return whether the documentation allows the combination."""
    if correction == "max-t" and (alternative != "two-sided" or null == "asymptotic"):
        return False
    if family == "row" and (alternative == "two-sided" or correction == "max-t"):
        return False
    if estimand == "mean" and test == "ds":
        return False
    return null != {"typical": "bootstrap", "mean": "flips"}[estimand]


def check(decision):
    """Check the properties of every decision."""
    p, found = decision.p, decision.conclusions
    settings = decision.settings
    tested = ~np.isnan(p)
    assert not tested.diagonal().any()
    assert ((p[tested] >= 0) & (p[tested] <= 1)).all()
    assert (p[tested] >= decision.smallest_p - 1e-12).all()
    assert (np.equal(found, None) == ~(tested | tested.T)).all()
    assert ((found == "better") == (found.T == "worse")).all()
    assert ((found == "equivalent") == (found.T == "equivalent")).all()
    decided = (found == "better") | (found == "worse")
    # The evidence for "a is better than b" under each alternative.
    with np.errstate(invalid="ignore"):
        small = p <= settings.alpha
    better = {
        "two-sided": small & (decision.tests.statistic > 0),
        "greater": small,
        "less": small.T,
    }[settings.alternative]
    assert ((found == "better") == (better & ~better.T)).all()
    if settings.alternative == "two-sided":
        np.testing.assert_array_equal(p, p.T)
        assert (decided == small).all()
        # The estimate is on the same side, or 0 where most scores are equal.
        assert (decision.tests.difference[found == "better"] >= 0).all()
    assert not (decision.reversed & ~decided).any()
    assert ("ci_low" in decision.frame()) == settings.has_intervals
    check_row(decision)
    if settings.has_intervals:
        low, high = within_bounds(decision.tests.low, decision.tests.high, decision.study)
        np.testing.assert_array_equal(low, -high.T)
        with np.errstate(invalid="ignore"):
            outside = (low > 0) | (high < 0)
            touching = (low == 0) | (high == 0)
        assert (outside <= decided).all()
        assert (decided <= (outside | touching)).all()
        # A limit of exactly 0 is on the side of the estimate.
        assert (low[found == "better"] >= 0).all()


def check_row(decision):
    """Check that the row of an algorithm is that of all pairs, with wins and losses."""
    first, scores = decision.study.algorithms[0], decision.study.tested.scores
    row, everything = decision.row(first), decision.frame().query("a == @first").set_index("b")
    shared = [name for name in row if name in everything and name != "p"]
    pd.testing.assert_frame_equal(row[shared], everything.loc[row.index, shared])
    ahead = scores[:, :1] - scores[:, 1:]
    np.testing.assert_array_equal(row["wins"], (ahead > 1e-9).sum(axis=0))
    np.testing.assert_array_equal(row["losses"], (ahead < -1e-9).sum(axis=0))
    np.testing.assert_array_equal(row[["wins", "ties", "losses"]].sum(axis=1), row["n_tasks"])


def check_stability(study, decision):
    """Check that only changed conclusions are listed as such."""
    found = decision.conclusions
    place = {name: i for i, name in enumerate(study.algorithms)}
    changes = study_stability(study, decision).changes
    for row in () if changes is None else changes.itertuples():
        assert row.conclusion == found[place[row.a], place[row.b]]
        assert row.conclusion != row.conclusion_without


@pytest.mark.parametrize(
    ("correction", "missing"),
    [*((name, False) for name in CORRECTIONS), ("max-t", True), ("bonferroni", True)],
)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("estimand", ESTIMANDS)
def test_every_combination_of_settings_decides_once_or_is_refused(
    estimand, test, correction, missing
):
    results = loaded(missing)
    count = 0
    for family, alternative, null in itertools.product(FAMILIES, ALTERNATIVES, NULLS):
        chosen = {"estimand": estimand, "test": test, "correction": correction, "family": family,
                  "alternative": alternative, "null": null}  # fmt: skip
        options = {**chosen, "control": "near" if family == "control" else None,
                   "alpha": ALPHA, "n_resamples": 100, "missing": "pairwise"}  # fmt: skip
        if not allowed(**chosen):
            with pytest.raises(ArgumentError, match=r"(set|leave) \w+"):
                Settings.of(**options)
            continue
        study = prepare(results, Settings.of(**options))
        assert {name: getattr(study.settings, name) for name in chosen} == chosen
        decision = decide(study)
        check(decision)
        if family == "all" and alternative != "less":
            check_stability(study, decision)
        count += 1
    assert (count > 0) == (estimand == "typical" or test == "rgl")


@pytest.mark.parametrize("estimand", ESTIMANDS)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("m", [1, 2, 5])
def test_few_datasets_decide_little_but_without_a_warning(m, test, estimand):
    results = occstats.load_results(table(m=m), lower_is_better=False)
    options = {"estimand": estimand, "test": test, "n_resamples": 100}
    if estimand == "mean" and test == "ds":
        return
    study = prepare(results, Settings.of(**options))
    decision = decide(study)
    check(decision)
    check_stability(study, decision)
    if m == 1:
        assert np.equal(decision.conclusions, None).all()
    if m == 5 and estimand == "mean":
        assert decision.basis.startswith("t-test")
        assert decision.basis.endswith("(Bonferroni)")
    if estimand == "typical":
        # 2^(1 − m) > 0.05: every shift is possible, unless scores are equal.
        different = np.array([[a != b for b in study.algorithms] for a in study.algorithms])
        twins = [study.algorithms.index(name) for name in ("top", "twin")]
        different[np.ix_(twins, twins)] = False
        assert not decision.better.any()
        assert not np.isfinite(decision.tests.low[different]).any()


@pytest.mark.parametrize("name", ["inf2", "gate2"])
def test_a_decision_that_the_other_estimate_contradicts_is_flagged(name):
    found = occstats.compare(CASES / f"{name}.csv", lower_is_better=False)
    row = found.pairwise.iloc[0]
    assert row["conclusion"] in ("better", "worse")
    assert row["reversed"]
    other = found.matrix("mean_difference").loc[row["a"], row["b"]]
    assert np.sign(other) == -np.sign(row["difference"])
    assert "the answer depends on the question" in " ".join(found.verdict.split())


@pytest.mark.parametrize("estimand", ESTIMANDS)
def test_dominance_is_the_strongest_evidence(estimand):
    # 30 wins, no loss: 2^(1 − m) by sign flips of the m datasets with a difference.
    row = occstats.compare(
        CASES / "bin.csv", lower_is_better=False, estimand=estimand
    ).pairwise.iloc[0]
    assert (row["wins"], row["losses"], row["conclusion"]) == (30, 0, "better")
    assert row["p"] < 0.001
    # Ten datasets of sizes 10, 1, …, 1, all won by the same amount.
    datasets = ["d0"] * 10 + [f"d{i}" for i in range(1, 10)]
    frame = pd.DataFrame({"dataset": datasets, "class": range(19), "x": 0.6, "y": 0.5})
    told = {"algorithms": ["x", "y"], "lower_is_better": False}
    row = occstats.compare(frame, **told, estimand=estimand).pairwise.iloc[0]
    assert row["p"] == 2.0**-9
    np.testing.assert_allclose(row[["difference", "ci_low", "ci_high"]].tolist(), 0.1)


@pytest.mark.parametrize("name", ["ident", "same"])
@pytest.mark.parametrize("estimand", ESTIMANDS)
def test_equal_scores_are_equivalent(name, estimand):
    row = compare(CASES / f"{name}.csv", estimand=estimand).pairwise_full.iloc[0]
    assert (row["conclusion"], row["p"]) == ("equivalent", 1)
    values = row[["difference", "ci_low", "ci_high", "mean_difference", "typical_difference"]]
    assert [str(value) for value in values] == ["0.0"] * 5


def test_pairs_within_a_margin_are_equivalent(lenz):
    found = lenz(algorithms=("ALP", "SVM", "SAE"), margin=0.03)
    row = found.pairwise_full.set_index(["a", "b"]).loc[("SVM", "ALP")]
    assert row["conclusion"] == "equivalent"
    assert -0.03 < row["ci_low"] < 0 < row["ci_high"] < 0.03
    assert found.matrix("conclusion").loc["SAE", "ALP"] == "worse"
    narrow, wide = (lenz(algorithms=("ALP", "SVM", "SAE"), margin=m) for m in (0.001, 0.2))
    assert narrow.matrix("conclusion").loc["SVM", "ALP"] == "undecided"
    # A difference that is shown comes before equivalence.
    assert wide.matrix("conclusion").loc["SAE", ["ALP", "SVM"]].tolist() == ["worse", "worse"]


def levels_compared(tree):
    """Return the lines that compare something with alpha, or a p-value with a number."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            words = {getattr(part, "attr", getattr(part, "id", None)) for part in ast.walk(node)}
            texts = {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)}
            if words & {"alpha"} or 0.05 in texts:
                yield node.lineno, ast.unparse(node)


def test_no_other_module_compares_p_values_with_alpha():
    # Tests and power compute with the level; the decision is the only one to draw conclusions.
    # The statements of the paper and a diagram of own p-values judge numbers that others computed.
    elsewhere = {"report/statements.py", "figures/_critical_difference.py"}
    allowed = {"comparison/decision.py", "_checks.py", *elsewhere}
    found = {
        f"{name}:{line}": text
        for path in sorted(PACKAGE.rglob("*.py"))
        if (name := path.relative_to(PACKAGE).as_posix()) not in allowed
        and not name.startswith("stats/")
        for line, text in levels_compared(ast.parse(path.read_text("utf-8")))
    }
    assert found == {}
