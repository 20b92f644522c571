"""The page tests parts of the table by itself, and finds what Python finds."""

import json
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.report.html import render
from tests.report.browsing import click, find

# Both sides add the same numbers in another order; p-values by flips are whole counts.
CLOSE = {"rtol": 0, "atol": 1e-10}


def computed(browser, comparison, algorithms, datasets, family):
    """What the page's own function gives for these algorithms and data sets."""
    names = comparison.algorithms
    labels = sorted(comparison.results.scores.index.unique(0))
    found = browser.execute_script(
        "const found = window.occstats.whatIf.compute(...arguments);"
        "const plain = (rows) => rows.map((row) => row.map((p) => Number.isNaN(p) ? null : p));"
        "return {...found, p: plain(found.p), z: plain(found.z)};",
        [names.index(name) for name in algorithms],
        [labels.index(name) for name in datasets],
        {"family": family, "alpha": comparison.settings.alpha},
    )
    found["algorithms"] = [names[place] for place in found["algorithms"]]
    return found


def assert_the_same(found, expected, family):
    """Mean ranks, p-values and conclusions of the page are those of a comparison."""
    order = found["algorithms"]
    summary = expected.summary.set_index("algorithm").loc[order]
    np.testing.assert_allclose(found["meanRanks"], summary["mean_rank"], **CLOSE)
    column = "p_simultaneous" if family == "all" else "p_adjusted"
    p = expected.matrix(column).loc[order, order].to_numpy(float)
    off_diagonal = ~np.eye(len(order), dtype=bool)
    here = np.array(found["p"], dtype=float)
    np.testing.assert_allclose(here[off_diagonal], p[off_diagonal], **CLOSE)
    better = expected.matrix("conclusion").loc[order, order] == "better"
    assert np.array(found["better"]).tolist() == better.to_numpy().tolist()


def python(comparison, algorithms, datasets, family):
    """The same part of the table, compared by Python with the same settings."""
    results = comparison.results
    inside = np.isin(results.scores.index.get_level_values(0), datasets)
    options = {"preset": "paper"} if family == "row" else {}
    return occstats.compare(
        results.keep_tasks(inside),
        algorithms=algorithms,
        n_resamples=comparison.settings.n_resamples,
        tie_tolerance=comparison.settings.tie_tolerance,
        **options,
    )


@pytest.mark.parametrize("family", ["all", "row"])
@pytest.mark.parametrize(
    ("algorithms", "datasets"),
    [
        pytest.param(slice(None), slice(None), id="everything"),
        pytest.param(slice(None), slice(1, None), id="without a data set"),
        pytest.param([0, 2, 3, 4, 5, 6, 7, 8], slice(None), id="without an algorithm"),
        # Few enough for every change of sign to be listed.
        pytest.param(slice(0, 5), slice(10, 16), id="six data sets"),
    ],
)
def test_the_page_computes_what_python_computes(page, comparison, algorithms, datasets, family):
    names = np.array(comparison.algorithms)[algorithms].tolist()
    labels = np.array(sorted(comparison.results.scores.index.unique(0)))[datasets].tolist()
    found = computed(page, comparison, names, labels, family)
    assert_the_same(found, python(comparison, names, labels, family), family)


@pytest.fixture(scope="module")
def awkward(tmp_path_factory):
    """Missing scores, ties, an algorithm twice, lower is better, full digits, names in disorder."""
    generator = np.random.default_rng(5)
    sizes = {"z": 3, "Beta": 1, "10": 2, "9": 4, "a": 2, "é": 2, "m": 1, "k": 3, "b": 2, "c": 5,
             "d": 1, "e": 2, "f": 3, "g": 2, "h": 1, "i": 2}  # fmt: skip
    index = pd.MultiIndex.from_tuples(
        [(name, str(task)) for name, size in sizes.items() for task in range(size)],
        names=["dataset", "class"],
    )
    scores = pd.DataFrame(generator.random((len(index), 4)), index=index, columns=list("ABCD"))
    scores["B"] = scores["B"].round(1)
    scores["E"] = scores["B"]
    scores.iloc[3, 0] = scores.iloc[7, 2] = scores.iloc[8, 2] = np.nan
    results = occstats.Results(scores, pd.DataFrame(index=index), "error", higher_is_better=False)
    comparison = occstats.compare(results, missing="pairwise", n_resamples=500)
    path = tmp_path_factory.mktemp("awkward") / "report.html"
    path.write_text(render(comparison), encoding="utf-8")
    return comparison, path.as_uri()


@pytest.mark.parametrize("family", ["all", "row"])
def test_missing_scores_ties_and_lower_is_better(browser, awkward, family):
    comparison, address = awkward
    browser.get(address)
    datasets = sorted(comparison.results.scores.index.unique(0))
    found = computed(browser, comparison, comparison.algorithms, datasets, family)
    options = {"preset": "paper"} if family == "row" else {}
    expected = occstats.compare(comparison.results, missing="pairwise", n_resamples=500, **options)
    assert_the_same(found, expected, family)


def test_numbers_and_diagram_move(page, comparison):
    from selenium.webdriver.support.ui import Select, WebDriverWait

    def settled():
        WebDriverWait(page, 60).until(lambda _: "pairs differ" in sentence.text)
        return sentence.text, find(page, "#what-if svg").get_attribute("aria-label")

    click(page, find(page, "#what-if summary"))
    sentence = find(page, "#what-if-sentence")
    words, diagram = settled()
    tally = comparison.tally
    assert f"{tally.different} of {tally.tested} pairs differ at α = 0.05" in words
    assert diagram.startswith("Mean ranks, best first: ALP 3.51, SVM 3.86")
    rows = page.execute_script(
        "return [...document.querySelectorAll('[data-table=what_if_ranks] tbody tr')]"
        ".map((row) => row.cells[0].textContent)"
    )
    assert rows == comparison.algorithms
    click(page, find(page, "#what-if [name=algorithm][value='0']"))
    without, moved = settled()
    assert without.startswith("SVM has the best mean rank")
    assert "ALP" not in moved
    Select(find(page, "#what-if [name=family]")).select_by_value("row")
    assert "of 28 pairs differ" in settled()[0]
    click(page, find(page, "#what-if button[type=reset]"))
    WebDriverWait(page, 60).until(lambda _: sentence.text == words)
    for box in range(8):
        click(page, find(page, f"#what-if [name=algorithm][value='{box}']"))
    WebDriverWait(page, 60).until(lambda _: "at least two algorithms" in sentence.text)
    assert page.get_log("browser") == []


def test_the_bits_are_those_of_numpy(page):
    """The stream that the page draws its signs from, beside NumPy's own."""
    drawn = np.random.default_rng(7).integers(0, 2, size=(40, 13), dtype=np.int8)
    state = np.random.PCG64(7).state["state"]
    bits = page.execute_script(
        "const bit = window.occstats.randomBits({state: arguments[0], increment: arguments[1]});"
        "return Array.from({length: 520}, bit);",
        hex(state["state"]),
        hex(state["inc"]),
    )
    assert bits == drawn.ravel().tolist()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_normal_tails_to_all_digits():
    from importlib.resources import files

    from scipy.special import ndtr

    script = (files("occstats.report.html") / "assets" / "kernel.js").read_text(encoding="utf-8")
    z = np.linspace(-12, 12, 481)
    program = (
        f"globalThis.window = {{occstats: {{}}}};{script};console.log(JSON.stringify("
        f"{json.dumps(z.tolist())}.map(window.occstats.upperTail)))"
    )
    done = subprocess.run(["node", "-"], input=program, capture_output=True, text=True, check=True)
    # Small tails by their digits, which corrected p-values are multiples of.
    np.testing.assert_allclose(json.loads(done.stdout), ndtr(-z), rtol=1e-12)
