"""The what-if analysis of the page agrees with Python."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("selenium")

import occstats
from occstats._format import p_value
from occstats.report.page import render
from occstats.report.pair_data import why_no_what_if
from tests.report.browsing import click, column, find, show, show_what_if, wait


def results_of(scores, clusters, **options):
    index = pd.MultiIndex.from_arrays(
        [clusters, [str(task) for task in range(len(scores))]], names=["dataset", "class"]
    )
    frame = pd.DataFrame(scores, index=index, columns=list("ABCDEFG")[: scores.shape[1]])
    return occstats.Results(frame, pd.DataFrame(index=index), "score", **options)


def random_scores(seed, n_datasets=16, k=4):
    """Datasets of one to five tasks with names in disorder, and correlated scores in each."""
    generator = np.random.default_rng(seed)
    names = np.array(["z", "Beta", "10", "9", "a", "é", *"mkbcdefghi"])[:n_datasets]
    codes = np.repeat(np.arange(n_datasets), generator.integers(1, 6, n_datasets))
    scores = generator.normal(size=(len(codes), k)) + generator.normal(size=(n_datasets, k))[codes]
    return scores, names[codes]


def awkward(kind):
    """Return results with an awkward property, and the options to compare them."""
    scores, clusters = random_scores(len(kind), n_datasets=6 if kind == "few datasets" else 16)
    holes = np.random.default_rng(1).random(scores.shape) < 0.15
    options = {}
    if kind == "ties, lower is better":
        scores[:, 3] = scores[:, 2]
        return results_of(scores.round(), clusters, higher_is_better=False), options
    if kind in ("missing", "failures"):
        scores[holes] = np.nan
        options = {"missing": "pairwise" if kind == "missing" else "worst"}
    elif kind == "dominated":
        scores[:, 0] = scores[:, 1:].max(axis=1) + 1
        scores[:, 3] = scores[:, 2] - 0.5
    elif kind == "control":
        options = {"control": "C", "tie_tolerance": 0}
    return results_of(scores, clusters), options


def compute(browser, comparison, algorithms=None, datasets=None):
    """Return what the page computes for some algorithms and datasets."""
    names, labels = comparison.algorithms, sorted(comparison.results.scores.index.unique(0))
    found = browser.execute_script(
        "const found = window.occstats.whatIf.compute(...arguments);"
        "return {...found, p: found.p.map((row) => row.map((p) => Number.isNaN(p) ? null : p))};",
        [names.index(name) for name in algorithms or names],
        [labels.index(name) for name in datasets or labels],
        comparison.settings.alpha,
    )
    return {**found, "algorithms": [names[place] for place in found["algorithms"]]}


def assert_agreement(found, expected):
    """Compare mean ranks, p-values and conclusions of the page with those of Python."""
    order = found["algorithms"]
    assert order == expected.algorithms
    ranks = expected.summary["mean_rank"].to_numpy()
    np.testing.assert_allclose(found["meanRanks"], ranks, rtol=0, atol=1e-10)
    p = expected.p_values.to_numpy(float)
    assert np.isfinite(p).any()
    np.testing.assert_allclose(np.array(found["p"], dtype=float), p, rtol=0, atol=1e-10)
    better = expected.matrix("conclusion") == "better"
    assert found["better"] == better.to_numpy().tolist()


@pytest.mark.parametrize(
    ("algorithms", "datasets"),
    [
        pytest.param(slice(None), slice(None), id="everything"),
        pytest.param(slice(None), slice(1, None), id="without a dataset"),
        pytest.param([0, 2, 3, 4, 5, 6, 7, 8], slice(None), id="without an algorithm"),
        pytest.param(slice(0, 5), slice(10, 16), id="six datasets"),
    ],
)
def test_parts_of_lenz2021(page, comparison, algorithms, datasets):
    names = np.array(comparison.algorithms)[algorithms].tolist()
    labels = np.array(sorted(comparison.results.scores.index.unique(0)))[datasets].tolist()
    kept = np.isin(comparison.results.scores.index.get_level_values(0), labels)
    expected = occstats.compare(
        comparison.results.keep_tasks(kept),
        algorithms=names,
        n_resamples=comparison.settings.n_resamples,
    )
    assert_agreement(compute(page, comparison, names, labels), expected)


@pytest.mark.parametrize(
    "kind",
    ["ties, lower is better", "missing", "failures", "dominated", "control", "few datasets"],
)
def test_awkward_tables(browser, tmp_path, undrawn, kind):
    results, options = awkward(kind)
    comparison = occstats.compare(results, n_resamples=500, **options)
    show(browser, render(comparison), tmp_path)
    assert_agreement(compute(browser, comparison), comparison)


def test_unbalanced_clusters(browser, tmp_path, undrawn, unbalanced):
    comparison = occstats.compare(unbalanced, n_resamples=500)
    show(browser, render(comparison), tmp_path)
    assert_agreement(compute(browser, comparison), comparison)


@pytest.mark.parametrize(
    "options",
    [{"estimand": "mean"}, {"preset": "paper"}, {"test": "ds"}, {"correction": "holm"}],
    ids="-".join,
)
def test_other_procedures_have_no_panel(undrawn, options):
    comparison = occstats.compare("lenz2021", n_resamples=100, **options)
    assert "only the default procedure" in why_no_what_if(comparison)
    assert comparison.basis in why_no_what_if(comparison)
    if "estimand" in options:
        page = render(comparison)
        assert why_no_what_if(comparison) in page
        assert "what-if-view" not in page.split("<script")[0]


def test_a_single_pair_is_not_counted(browser, tmp_path, undrawn):
    scores, clusters = random_scores(1, k=2)
    show(browser, render(occstats.compare(results_of(scores, clusters))), tmp_path)
    assert "pairs" not in show_what_if(browser)


def test_numbers_and_diagram_follow_the_choices(page, comparison):
    sentence = find(page, "#what-if-sentence")

    def settled():
        wait(page, lambda: "pairs differ" in sentence.text)
        return sentence.text, find(page, "#what-if svg").get_attribute("aria-label")

    show_what_if(page)
    everything, diagram = settled()
    tally = comparison.tally
    assert f"{tally.different} of {tally.tested} pairs differ (p ≤ 0.05)" in everything
    assert diagram.startswith("Mean ranks, best first: ALP 3.51, SVM 3.86")
    assert column(page, "what_if_ranks", 0) == comparison.algorithms
    click(page, "#what-if [name=algorithm][value='0']")
    without, moved = settled()
    assert without.startswith("SVM has the best mean rank")
    assert "of 28 pairs differ" in without
    assert "ALP" not in moved
    click(page, "#what-if button[type=reset]")
    wait(page, lambda: sentence.text == everything)
    click(page, "#what-if [data-clear=algorithm]")
    wait(page, lambda: "at least two algorithms" in sentence.text)
    click(page, "#what-if [data-check=algorithm]")
    wait(page, lambda: sentence.text == everything)
    assert page.get_log("browser") == []


def test_random_bits_are_those_of_numpy(page):
    drawn = np.random.default_rng(7).integers(0, 2, size=(40, 13), dtype=np.int8)
    state = np.random.PCG64(7).state["state"]
    bits = page.execute_script(
        "const bit = window.occstats.randomBits({state: arguments[0], increment: arguments[1]});"
        "return Array.from({length: 520}, bit);",
        hex(state["state"]),
        hex(state["inc"]),
    )
    assert bits == drawn.ravel().tolist()


def test_p_values_are_written_as_in_python(page):
    values = [*np.arange(1, 102) / 101, *np.arange(1, 65) / 64, 0.0502, 0.05, 1e-4, 0.0125, 0.0995]
    written = page.execute_script(
        "return arguments[0].map((p) => window.occstats.whatIf.written(p, 0.05));", values
    )
    assert written == [p_value(p, 0.05) for p in values]
