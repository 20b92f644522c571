"""Every output shows the decision about every pair: the same p-value and conclusion."""

import io
import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

import occstats
from occstats._format import p_writer, shares
from occstats.comparison.text.columns import EXPLANATIONS
from occstats.figures.registry import draw_figures
from occstats.report.bundle import contents
from occstats.report.pair_data import pair_data
from tests.report.parsed_page import parse_table
from tests.report.screens import screen

DECIDED = ("better", "worse")


def unbalanced():
    """Datasets of one to nine tasks, algorithms that differ, scores of two decimals."""
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 10, size=14)
    datasets = np.repeat([f"d{i:02}" for i in range(14)], sizes)
    base = np.repeat(rng.normal(0.7, 0.1, 14), sizes)[:, None]
    effect = np.repeat(rng.normal(0, 0.03, (14, 4)), sizes, axis=0)
    scores = base + effect + rng.normal(0, 0.03, (len(datasets), 4)) + [0.06, 0.03, 0.03, 0.0]
    frame = pd.DataFrame(scores.round(2), columns=list("ABCD"))
    return frame.assign(dataset=datasets, task=[f"t{i}" for i in range(len(datasets))])


def missing():
    frame = unbalanced()
    frame.loc[frame.index % 4 == 0, "A"] = np.nan
    return frame


def binary():
    rng = np.random.default_rng(5)
    right = rng.random((120, 3)) < [0.9, 0.6, 0.55]
    frame = pd.DataFrame(right.astype(int), columns=["big", "small", "tiny"])
    return frame.assign(dataset=[f"d{i // 4}" for i in range(120)], task=range(120))


def few():
    return unbalanced().query("dataset < 'd03'")


def singletons():
    return unbalanced().drop_duplicates("dataset")


def reversed_pair():
    """B wins by a little nearly everywhere, and loses much on a tenth of the datasets."""
    rng = np.random.default_rng(0)
    gain = np.where(np.arange(40) % 10 == 0, -0.4, 0.01)
    base = rng.normal(0.7, 0.05, 40)
    other = base + rng.normal(-0.1, 0.02, 40)
    scores = {"A": base, "B": base + gain + rng.normal(0, 0.002, 40), "C": other}
    return pd.DataFrame(scores).assign(dataset=[f"d{i}" for i in range(40)])


SOME = {"algorithms": ["ALP", "SVM", "LOF", "IF", "SAE"]}
CASES = {
    "paper's table": lambda: ("lenz2021", {}),
    "estimand mean": lambda: ("lenz2021", {"estimand": "mean"}),
    "preset paper": lambda: ("lenz2021", {"preset": "paper"}),
    "control": lambda: ("lenz2021", {"control": "LOF"}),
    "control, mean": lambda: ("lenz2021", {"control": "LOF", "estimand": "mean", **SOME}),
    "holm": lambda: ("lenz2021", {"correction": "holm", "null": "asymptotic", **SOME}),
    "uncorrected": lambda: ("lenz2021", {"correction": "none", **SOME}),
    "false discovery rate": lambda: (
        unbalanced(),
        {"correction": "benjamini-hochberg", "alpha": 0.1},
    ),
    "one-sided, less": lambda: (unbalanced(), {"correction": "holm", "alternative": "less"}),
    "margin": lambda: ("lenz2021", {"margin": 0.06, **SOME}),
    "unbalanced": lambda: (unbalanced(), {}),
    "unbalanced, mean": lambda: (unbalanced(), {"estimand": "mean"}),
    "binary": lambda: (binary(), {}),
    "missing": lambda: (missing(), {"missing": "pairwise"}),
    "failures": lambda: (missing(), {"missing": "worst"}),
    "few datasets": lambda: (few(), {}),
    "one task per dataset": lambda: (singletons(), {}),
    "reversed": lambda: (reversed_pair(), {}),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    source, options = CASES[request.param]()
    comparison = occstats.compare(source, lower_is_better=False, n_resamples=500, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("occstats.report.page._draw", lambda comparison: [])
        return comparison, contents(comparison)


class Decisions:
    """Expected text and mark of each ordered pair, from the frame alone."""

    def __init__(self, comparison):
        frame = comparison.pairwise_full.set_index(["a", "b"])
        self.p, self.conclusion = frame["p"].to_dict(), frame["conclusion"].to_dict()
        self.limits = frame.reindex(columns=["ci_low", "ci_high"]).T.to_dict("list")
        self.write = p_writer(comparison.settings)
        self.alternative = comparison.settings.alternative

    def text(self, a, b):
        """Return p of "a better than b", or of a difference."""
        return self.write(self.p[(b, a) if self.alternative == "less" else (a, b)])

    def claim(self, a, b):
        """Return p of "a better than b", or of "a worse than b" if that was concluded."""
        return self.text(*((b, a) if self.conclusion[a, b] == "worse" else (a, b)))

    def marked(self, a, b):
        found = self.conclusion[a, b]
        return found in DECIDED if self.alternative == "two-sided" else found == "better"


@pytest.fixture
def decisions(case):
    return Decisions(case[0])


# -- the decision itself ---------------------------------------------------------------------------


def test_only_decided_pairs_are_reversed(case):
    frame = case[0].pairwise_full
    estimand = case[0].settings.estimand
    other = frame["mean_difference" if estimand == "typical" else "typical_difference"]
    sign = frame["conclusion"].map({"better": 1.0, "worse": -1.0}).fillna(0.0)
    assert (frame["reversed"] == (sign * other < -1e-12)).all()


# -- files -----------------------------------------------------------------------------------------


def test_json_and_csv_hold_the_frame(case):
    comparison, files = case
    rows = json.loads(files["comparison.json"])["pairwise"]
    written = pd.read_csv(io.StringIO(files["tables/pairwise.csv"])).set_index(["a", "b"])
    assert len(written) == len(rows)
    for row, own in zip(rows, comparison.pairwise_full.itertuples(), strict=True):
        conclusion = None if pd.isna(own.conclusion) else own.conclusion
        assert (row["a"], row["b"], row["conclusion"]) == (own.a, own.b, conclusion)
        assert row["reversed"] == own.reversed
        assert row["p"] == (None if np.isnan(own.p) else own.p)
        also = written.loc[(own.a, own.b)]
        assert also["p"] == pytest.approx(own.p, abs=0, rel=1e-12, nan_ok=True)
        assert also["conclusion"] == conclusion or (conclusion is None and pd.isna(also["p"]))


def markdown(text):
    """Rows of cells, the markup of bold kept."""
    lines = text.splitlines()
    rows = [line.strip("|").split("|") for line in lines if line.startswith("|")]
    clean = [[cell.replace("\\", "").strip() for cell in row] for row in rows]
    return clean[0], clean[2:]


def latex(text):
    body = text.split("\\midrule")[1].split("\\bottomrule")[0]
    head = text.split("\\toprule")[1].split("\\midrule")[0].strip().splitlines()[-1]
    rows = [line.removesuffix("\\\\").split("&") for line in body.strip().splitlines()]

    def plain(cell):
        cell = re.sub(r"\\textbf\{(?:\\boldmath )?(.*)\}", r"**\1**", cell.strip())
        return cell.replace("$", "").replace("\\geq", "≥").replace("\\dagger", "†").strip()

    return list(map(plain, head.removesuffix("\\\\").split("&"))), [
        list(map(plain, row)) for row in rows
    ]


def check_matrix(head, rows, decisions, least=1):
    """Every p-value of a square, or of its upper half, and exactly the decided ones in bold."""
    seen = 0
    for name, *cells in rows:
        for other, cell in zip(head[1:], cells, strict=True):
            if not cell or name == other:
                continue
            bold = cell.startswith("**")
            assert cell.strip("*").replace(" ", "") == decisions.text(name, other).replace(" ", "")
            assert bold == decisions.marked(name, other), (name, other)
            seen += 1
    assert seen >= least


def check_interval(text, limits):
    """Check that brackets hold the limits of the pair, and a dash where one is not finite."""
    found = re.search(r"\[(.*), (.*)\]", text.replace("−", "-"))
    for shown, limit in zip(found.groups() if found else (), limits, strict=False):
        digits = len(shown.partition(".")[2])
        assert (
            shown.replace("--", "–") == "–"
            if not np.isfinite(limit)
            else (abs(float(shown) - limit) <= 10.0**-digits)
        )


def check_leading(rows, decisions, subject, p_place):
    """One row per algorithm: p of subject against it, then a star or a word."""
    for row in rows:
        if row[0] == subject:
            assert set(row[p_place:]) <= {""}
            continue
        assert row[p_place] == decisions.claim(subject, row[0])
        check_interval(" ".join(row[1:p_place]), decisions.limits[subject, row[0]])
        said = row[p_place + 1].replace("†", "").strip() if p_place + 1 < len(row) else ""
        if said in ("", "*"):
            assert (said == "*") == decisions.marked(subject, row[0])
        else:
            assert said == decisions.conclusion[subject, row[0]]


def subject_of(comparison):
    return comparison.settings.control or comparison.algorithms[0]


def section(text, title):
    """Return a section of report.md."""
    return text.split(f"\n### {title}\n")[1].split("\n#")[0]


@pytest.mark.parametrize("medium", ["markdown", "latex", "notebook"])
def test_tables_of_files(case, decisions, medium):
    comparison, files = case
    k = len(comparison.algorithms)
    least = k - 1 if comparison.settings.control else k * (k - 1) // 2
    if medium == "markdown":
        matrix, leading = (
            markdown(section(files["report.md"], title)) for title in ("p-values", "Comparison")
        )
    elif medium == "notebook":
        matrix, leading = None, latex(comparison._repr_latex_())
    else:
        # The leading table of a control has all pairs.
        found = files.get("paper/p_values.tex")
        assert (found is None) == (comparison.settings.control is not None)
        matrix = found and latex(found)
        leading = latex(files["paper/comparison.tex"])
        assert files["paper/comparison.tex"] == comparison.to_latex()
    if matrix:
        check_matrix(*matrix, decisions, least)
    head, rows = leading
    assert len(rows) == k
    check_leading(rows, decisions, subject_of(comparison), head.index("p"))


# -- the terminal ----------------------------------------------------------------------------------

P = r"(?:[<>]?0?\.\d+|≥ 1|–)"


def test_the_terminal(case, decisions):
    comparison, _ = case
    text, subject = screen(comparison, 200, full=True), subject_of(comparison)
    names = "|".join(map(re.escape, comparison.algorithms))
    leading = text.split("\np-values\n")[0]
    rows = []
    for line in leading.splitlines():
        found = re.search(rf"^({names}) (.*?)({P})\s*([*†]*|[a-z]+(?: †)?)$", line)
        if found:
            rows.append(list(found.groups()))
    # The subject itself has no p-value; the pattern finds its mean.
    rows = [row for row in rows if row[0] != subject]
    check_leading(rows, decisions, subject, 2)
    assert {row[0] for row in rows} == set(comparison.algorithms) - {subject}
    pairs = text.split("\nPairwise comparisons\n")[1].split("\n\n")[0]
    seen = 0
    for line in pairs.splitlines():
        found = re.match(
            rf"({names})\s+({names})\s.*\s({P})\s+(better|worse|equivalent|undecided)", line
        )
        if found:
            a, b, p, conclusion = found.groups()
            assert p == decisions.claim(a, b)
            assert conclusion == decisions.conclusion[a, b]
            seen += 1
    assert seen == comparison.tally.tested


def test_the_verdict(case, decisions):
    comparison, _ = case
    subject, verdict = subject_of(comparison), comparison.verdict
    others = [name for name in comparison.algorithms if name != subject]
    listed = {}
    for line in verdict.splitlines():
        found = re.match(r"\s+(.*?) {2,}(.*)", line)
        if found:
            label = found[1]
            listed[label] = found[2].split(", ")
        elif line.startswith("   ") and listed:
            listed[label] += line.strip().split(", ")
    words = {"better": "better", "worse": "worse", "equivalent": "equivalent"}
    for label, names in listed.items():
        kind = next((word for word in words if word in label), "undecided")
        expected = [name for name in others if decisions.conclusion[subject, name] == kind]
        assert sorted(name.strip(", ") for name in names) == sorted(expected), label
    reversed_ = comparison.pairwise_full.query("reversed and a == @subject")
    assert ("depends on the question" in verdict.replace("\n", " ")) >= (len(reversed_) > 0)


def test_the_notebook(case, decisions):
    comparison, _ = case
    page = parse_table(comparison._repr_html_(), "")
    head = [cell["text"] for cell in page.rows("", "thead")[-1]]
    body = [[cell["text"] for cell in row] for row in page.rows("")]
    assert len(body) == len(comparison.algorithms)
    check_leading(body, decisions, subject_of(comparison), head.index("p"))


# -- figures ---------------------------------------------------------------------------------------


def test_the_bars_of_the_diagram(case, decisions):
    comparison, _ = case
    (drawn,) = draw_figures(comparison, only=["critical_difference"])
    axes = drawn.figure.axes[0]
    ranks = comparison.summary.set_index("algorithm")["mean_rank"].round(12)
    order = sorted(ranks.index, key=lambda name: (ranks[name], name))
    # Stems lead from the axis to the names, in the order of the mean ranks.
    feet = [line.get_xdata()[1] for line in axes.lines if line.get_linewidth() in (0.7, 1.1)]
    place = dict(zip(feet, order, strict=True))
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    found = {frozenset(place[x] for x in line.get_xdata()) for line in dots}
    alike = {
        frozenset(pair)
        for pair in itertools.combinations(order, 2)
        if decisions.conclusion[pair] in ("undecided", "equivalent")
    }
    together = {frozenset(pair) for group in found for pair in itertools.combinations(group, 2)}
    control = comparison.settings.control
    if control is not None:
        # One bar joins the control and those that do not differ from it.
        assert len(found) <= 1
        together = {pair for pair in together if control in pair}
    assert together == alike


@pytest.mark.parametrize("name", ["pairwise", "p_values"])
def test_the_matrices_of_pairs(case, decisions, name):
    comparison, _ = case
    (drawn,) = draw_figures(comparison, only=[name], width="page")
    FigureCanvasAgg(drawn.figure).draw()
    names, seen = comparison.algorithms, 0
    for text in drawn.figure.axes[0].texts:
        column, row = (int(np.floor(x)) for x in text.get_position())
        # The p-value is below the difference.
        *above, p = text.get_text().split("\n")
        if column <= row or len(above) != (name == "pairwise"):
            continue
        a, b = names[row], names[column]
        if not pd.isna(decisions.conclusion[a, b]):
            assert p == re.sub(r"(?<!\d)0\.", ".", decisions.claim(a, b))
            assert (text.get_weight() == "bold") == (decisions.conclusion[a, b] in DECIDED)
            seen += 1
    assert seen == comparison.tally.tested


def test_the_forest(case, decisions):
    comparison, _ = case
    axes = comparison.plot.forest()
    subject = subject_of(comparison)
    rivals = [name for name in comparison.algorithms if name != subject]
    assert [label.get_text() for label in axes.get_yticklabels()] == rivals
    cells = {round(text.xy[1]): text for text in axes.texts if hasattr(text, "xy")}
    points = {round(line.get_ydata()[0]): line for line in axes.lines if len(line.get_xdata()) == 1}
    lines = {line.get_ydata()[0]: line for line in axes.lines if line.get_linewidth() == 1.4}
    frame = comparison.pairwise_full.set_index(["a", "b"])
    for row, rival in enumerate(rivals):
        pair = frame.loc[(subject, rival)]
        if pd.isna(pair["conclusion"]):
            assert cells[row].get_text() == ""
            continue
        assert cells[row].get_text() == decisions.claim(subject, rival)
        assert (cells[row].get_weight() == "bold") == (pair["conclusion"] in DECIDED)
        if row in points:
            assert points[row].get_xdata()[0] == pair["difference"]
            filled = points[row].get_markerfacecolor() == points[row].get_color()
            assert filled == (pair["conclusion"] != "undecided")
        if row in points and comparison.settings.has_intervals:
            ends = pair[["ci_low", "ci_high"]].to_numpy(dtype=float)
            drawn = np.asarray(lines[row].get_xdata()) if np.isfinite(ends).any() else ends
            np.testing.assert_array_equal(drawn[np.isfinite(ends)], ends[np.isfinite(ends)])


def test_the_posterior(case):
    comparison, _ = case
    a = comparison.settings.control or comparison.algorithms[0]
    b = next(name for name in comparison.algorithms if name != a)
    row = comparison.pairwise_full.set_index(["a", "b"]).loc[(a, b)]
    areas = [row[f"difference_{side}"] for side in ("above", "within", "below")]
    drawn = [text.get_text().split("\n")[1] for text in comparison.plot.posterior().texts[::-1]]
    # The table has no room for "< 1 %".
    numbers = [{"< 1 %": "0", "> 99 %": "100"}.get(text, text[:-2]) for text in drawn]
    assert np.isnan(areas).any() or " / ".join(numbers) == shares(*areas)


# -- the page --------------------------------------------------------------------------------------


def test_the_page(case, decisions):
    comparison, files = case
    page = parse_table(files["report.html"], "p_values")
    head = [cell["text"] for cell in page.rows("p_values", "thead")[-1]]
    rows = []
    for row in page.rows("p_values"):
        bold = [bool(page.inside(cell, "strong")) for cell in row]
        rows.append(
            [f"**{c['text']}**" if b else c["text"] for c, b in zip(row, bold, strict=True)]
        )
        for other, cell in zip(head[1:], row[1:], strict=True):
            if "data-v" in cell["attributes"]:
                pair = (row[0]["text"], other)[:: -1 if decisions.alternative == "less" else 1]
                assert float(cell["attributes"]["data-v"]) == decisions.p[pair]
                ends = [comparison.algorithms.index(name) for name in (row[0]["text"], other)]
                (link,) = page.inside(cell, "a")
                assert link["attributes"]["data-pair"] == "{}-{}".format(*ends)
    check_matrix(head, rows, decisions)
    page = parse_table(files["report.html"], "comparison")
    head = [cell["text"] for cell in page.rows("comparison", "thead")[-1]]
    body = [[cell["text"] for cell in row] for row in page.rows("comparison")]
    assert [row[0] for row in body] == comparison.algorithms
    check_leading(body, decisions, subject_of(comparison), head.index("p"))


def test_the_view_of_a_pair(case, decisions):
    comparison, _ = case
    data = pair_data(comparison)
    labels = [measure["label"].split(" (")[0] for measure in data["measures"]]
    # A sentence above them predicts another probability for a new dataset.
    assert "share of datasets won" in labels
    for pair, found in data["pairs"].items():
        a, b = (comparison.algorithms[int(end)] for end in pair.split("-"))
        values = dict(zip(labels, found["values"], strict=True))
        if pd.isna(decisions.conclusion[a, b]):
            assert values["conclusion about a"] == ["not tested", ""]
            continue
        assert values["conclusion about a"][0].split(";")[0] == decisions.conclusion[a, b]
        assert values["p"] == [decisions.text(a, b), ""]
        # Only the deciding difference has an interval.
        difference = f"{comparison.settings.estimand} difference"
        assert {label for label, (_, limits) in values.items() if limits} <= {difference}
        better = {"better": a, "worse": b}.get(decisions.conclusion[a, b])
        assert better is None or found["sentence"].startswith(f"{better} is ")
        undecided = decisions.conclusion[a, b] == "undecided"
        same = "have the same scores" in found["sentence"]
        assert undecided == ("not distinguishable" in found["sentence"] or same)


# -- the direction of differences ------------------------------------------------------------------

ROLES = ("a", "b", "row", "column", "it", "rival")
DIRECTED = {
    "typical": lambda: (unbalanced(), {}),
    "control": lambda: (unbalanced(), {"control": "B"}),
    "binary": lambda: (binary(), {}),
}


def texts_of(comparison):
    """Return every text of the files, the screen and the figures of a comparison."""
    yield from [] if comparison.binary is None else comparison.binary["line"]
    yield from (str(content) for content in contents(comparison).values())
    yield json.dumps(pair_data(comparison), ensure_ascii=False)
    yield screen(comparison, 200, full=True)
    for drawn in draw_figures(comparison, width="page"):
        if drawn.figure is not None:
            yield " ".join(text.get_text() for text in drawn.figure.findobj(Text))


@pytest.mark.parametrize("table", DIRECTED)
@pytest.mark.usefixtures("undrawn")
def test_losses_reverse_every_difference_in_words(table):
    frame, options = DIRECTED[table]()
    names = [name for name in frame if name not in ("dataset", "task")]
    losses = frame.assign(**{name: 1 - frame[name] for name in names})
    word = "|".join(map(re.escape, (*names, *ROLES)))
    difference = re.compile(rf"\b({word}) (?:−|\$-\$|minus) ({word})\b")
    said = {}
    for lower, source in ((False, frame), (True, losses)):
        found = occstats.compare(source, lower_is_better=lower, n_resamples=200, **options)
        pairs = {pair for text in texts_of(found) for pair in difference.findall(text)}
        said[lower] = {pair[::-1] for pair in pairs} if lower else pairs
    assert {("a", "b"), ("row", "column")} <= said[False]
    assert said[True] == said[False]


def test_explanations_do_not_depend_on_the_direction_of_scores():
    for sentence in EXPLANATIONS.values():
        assert not re.search(
            r"\ba (minus|−) b\b|\bscores (higher|lower)\b|the higher mean", sentence
        )
