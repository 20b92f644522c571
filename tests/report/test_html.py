"""The HTML report: one decision per pair, accessible structure, names as text, a strict policy."""

import dataclasses
import json
import re
from collections import Counter
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats._format import decimals, minus_signs, p_value
from occstats.comparison.text.verdict import make_verdict
from occstats.figures.registry import FIGURES
from occstats.report.page import render
from occstats.report.page_drawing import inline_svg
from occstats.report.page import SCRIPTS, content_security_policy, source_hash
from occstats.report.pair_data import pair_data
from occstats.report.page_views import MOST_ROWS, table_view
from occstats.report.tables import all_tables

HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}{% raw %}",
    "<!--",
    "javascript:alert(1)",
    "two\nlines\x1b[31m",
    "\u202eright to left",
    "近傍法 🦊",
    "$stray & \\input{x}",
    "x" * 300,
]
VOID = {"meta", "link", "input", "br", "img"}


class Page(HTMLParser):
    """Every element with its attributes, its text, and the elements around it."""

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self.comments, self.open = [], [], [], []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "attributes": dict(attrs), "text": "", "inside": list(self.open)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.elements.append(
            {"tag": tag, "attributes": dict(attrs), "text": "", "inside": list(self.open)}
        )

    def handle_endtag(self, tag):
        assert self.open
        assert self.open[-1]["tag"] == tag, f"</{tag}> closes <{self.open[-1]['tag']}>"
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def handle_comment(self, data):
        self.comments.append(data)

    def all(self, tag):
        return [element for element in self.elements if element["tag"] == tag]

    def inside(self, outer, *tags):
        found = [element for element in self.elements if element["tag"] in tags]
        return [e for e in found if any(around is outer for around in e["inside"])]

    def rows(self, table):
        """Return the cells of the body of a table, row by row."""
        holder = next(e for e in self.elements if e["attributes"].get("data-table") == table)
        (body,) = self.inside(holder, "tbody")
        return [self.inside(row, "td", "th") for row in self.inside(body, "tr")]


def scores(datasets, algorithms, *, classes=("1", "2"), seed=3):
    index = pd.MultiIndex.from_tuples(
        [(dataset, label) for dataset in datasets for label in classes],
        names=["dataset", "class"],
    )
    values = np.random.default_rng(seed).random((len(index), len(algorithms)))
    return pd.DataFrame(values, index=index, columns=list(algorithms))


def compared(frame, **settings):
    results = occstats.Results(
        scores=frame,
        traits=pd.DataFrame(index=frame.index),
        score_name=settings.pop("score_name", "auroc"),
        higher_is_better=settings.pop("higher_is_better", True),
    )
    return occstats.compare(results, **{"n_resamples": 100, **settings})


@pytest.fixture(scope="module")
def comparison():
    return occstats.compare("lenz2021", n_resamples=100)


@pytest.fixture(scope="module")
def markup(comparison):
    return render(comparison)


@pytest.fixture(scope="module")
def page(markup):
    return Page(markup)


@pytest.fixture(scope="module")
def hostile():
    comparison = compared(scores(HOSTILE, HOSTILE), score_name="<i>auroc</i>")
    return comparison, render(comparison)


@pytest.fixture
def undrawn(monkeypatch):
    """Pages without figures, which take most of the time."""
    monkeypatch.setattr("occstats.report.page_sections._draw", lambda comparison: [])


def policy_of(page):
    metas = [meta["attributes"] for meta in page.all("meta")]
    return next(m["content"] for m in metas if m.get("http-equiv") == "Content-Security-Policy")


def test_policy_allows_these_scripts_and_styles_and_nothing_else(page):
    policy = dict(part.split(" ", 1) for part in policy_of(page).split("; "))
    scripts = [s for s in page.all("script") if s["attributes"].get("type") != "application/json"]
    assert len(scripts) == len(SCRIPTS)
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["script-src"].split() == [source_hash(script["text"]) for script in scripts]
    assert policy["style-src"].split() == [
        source_hash(style["text"]) for style in page.all("style")
    ]
    assert "unsafe" not in policy_of(page)
    assert policy["img-src"] == "data:"


def test_policy_comes_before_what_it_governs(markup):
    assert markup.index("Content-Security-Policy") < markup.index("<style>")


def test_policy_of_nothing_forbids_everything():
    policy = content_security_policy(scripts=[], styles=[])
    assert "script-src 'none'; style-src 'none'" in policy


def test_nothing_is_inline_that_the_policy_would_block(page):
    for element in page.elements:
        names = set(element["attributes"])
        assert "style" not in names
        assert not {name for name in names if name.startswith("on")}
        for name in names & {"src", "href", "xlink:href", "action", "srcset", "data"}:
            assert element["attributes"][name].startswith(("#", "data:"))
    assert len(page.all("style")) == 1


def test_no_address_is_left_to_load(markup):
    without_text = re.sub(r"http://www\.w3\.org/(2000/svg|1999/xlink)", "", markup)
    assert not re.search(r"url\(\s*['\"]?(?!#)", without_text)
    assert "@import" not in without_text
    assert not re.search(r'(src|href)="(?!#|data:)', without_text)


def test_identifiers_are_unique_and_references_lead_somewhere(page):
    identities = Counter(e["attributes"]["id"] for e in page.elements if "id" in e["attributes"])
    assert [name for name, count in identities.items() if count > 1] == []
    for element in page.elements:
        for name, value in element["attributes"].items():
            if name in {"aria-labelledby", "aria-describedby"}:
                assert set(value.split()) <= set(identities)
            elif name == "href" and value.startswith("#"):
                assert value[1:] in identities
            elif "url(#" in (value or ""):
                assert set(re.findall(r"url\(#([^)]*)\)", value)) <= set(identities)


def test_structure_is_the_one_that_assistive_technology_expects(page):
    assert page.all("html")[0]["attributes"]["lang"] == "en"
    assert len(page.all("h1")) == len(page.all("main")) == len(page.all("nav")) == 1
    levels = [int(e["tag"][1]) for e in page.elements if re.fullmatch("h[1-6]", e["tag"])]
    assert levels[0] == 1
    assert max(np.diff(levels)) <= 1
    skip = next(a for a in page.all("a") if a["attributes"].get("class") == "skip")
    assert skip["attributes"]["href"] == "#main"
    sections = [s["attributes"].get("aria-labelledby") for s in page.all("section")]
    assert None not in sections


def test_every_table_has_a_caption_and_headings_with_a_scope(page, comparison):
    tables = page.all("table")
    assert len(tables) == len(all_tables(comparison))
    captions = [e for e in page.all("caption") if e["text"].strip()]
    assert len(captions) == len(tables)
    assert {th["attributes"].get("scope") for th in page.all("th")} == {"col", "colgroup", "row"}
    for region in (e for e in page.elements if e["attributes"].get("role") == "region"):
        assert region["attributes"]["tabindex"] == "0"
        assert region["attributes"]["aria-labelledby"]


def test_every_field_has_a_label(page):
    for field in page.all("input") + page.all("select"):
        assert any(around["tag"] == "label" for around in field["inside"])


def test_every_figure_is_drawn_with_text_as_text_and_words_for_it(page):
    drawings = page.all("svg")
    assert len(drawings) == sum(entry.needs == ("comparison",) for entry in FIGURES.values())
    for drawing in drawings:
        assert drawing["attributes"]["role"] == "img"
        inside = [e for e in page.elements if drawing in e["inside"]]
        words = {e["tag"]: e["text"] for e in inside if e["tag"] in {"title", "desc"}}
        assert len(words["title"]) > 10
        assert len(words["desc"]) > 40
        assert any(e["tag"] == "text" for e in inside)
        assert not {e["tag"] for e in inside} & {"style", "script", "foreignobject", "metadata"}


def test_the_leading_table_has_the_decisions_about_the_leader(page, comparison):
    rows = page.rows("comparison")
    assert [row[0]["text"] for row in rows] == comparison.algorithms
    pairs = comparison.pairwise.query("a == 'ALP'").set_index("b")
    for row in rows[1:]:
        pair = pairs.loc[row[0]["text"]]
        values = [float(e["attributes"]["data-v"]) for e in row if "data-v" in e["attributes"]]
        assert values[2:] == [pair["difference"], pair["ci_low"], pair["p"]]
        assert row[-2]["text"] == p_value(pair["p"], 0.05)
        assert row[-1]["text"].startswith("*") == (pair["conclusion"] == "better")
        assert page.inside(row[-2], "a")[0]["attributes"]["data-pair"].startswith("0-")
    top = page.all("main")[0]["text"].split("Mean ranks and mean scores")[0]
    assert make_verdict(comparison).sentences[0] in top
    assert "bootstrap resamples" not in top


def test_the_matrix_is_ordered_best_first_and_bold_where_decided(page, comparison):
    names, conclusions = comparison.algorithms, comparison.matrix("conclusion")
    rows = page.rows("p_values")
    assert [row[0]["text"] for row in rows] == names[:-1]
    for a, row in enumerate(rows):
        assert [cell["text"] for cell in row[1 : a + 1]] == [""] * a
        for b, cell in enumerate(row[a + 1 :], a + 1):
            p = comparison.p_values.iat[a, b]
            assert float(cell["attributes"]["data-v"]) == p
            assert cell["text"] == p_value(p, 0.05)
            assert bool(page.inside(cell, "strong")) == (conclusions.iat[a, b] != "undecided")
            assert page.inside(cell, "a")[0]["attributes"]["data-pair"] == f"{a}-{b}"


def test_pair_data_have_one_decision(comparison):
    data = pair_data(comparison)
    assert data["algorithms"] == comparison.algorithms
    assert len(data["pairs"]) == 72
    labels = [measure["label"] for measure in data["measures"]]
    rows = comparison.pairwise.set_index(["a", "b"])
    for pair, found in data["pairs"].items():
        a, b = (comparison.algorithms[int(end)] for end in pair.split("-"))
        row, values = rows.loc[(a, b)], dict(zip(labels, found["values"], strict=True))
        assert values["conclusion about a"][0].split(";")[0] == row["conclusion"]
        assert values["p"] == [p_value(row["p"], 0.05), ""]
        assert values["p before the correction"] == [p_value(row["p_unadjusted"]), ""]
        assert values["mean difference"][0] == shown(row["mean_difference"])
        counts = [f"{row[name]:.0f}" for name in ("wins", "ties", "losses")]
        assert values["tasks won / tied / lost"] == [" / ".join(counts), ""]
        # Only the difference that decides has an interval.
        assert [label for label, (_, limits) in values.items() if limits] == ["typical difference"]
        assert values["typical difference"][0] == shown(row["difference"])
        assert (row["conclusion"] == "undecided") == ("not distinguishable" in found["sentence"])
        if row["conclusion"] == "better":
            assert found["sentence"].startswith(f"{a} is typically better than {b} (")
            assert data["pairs"]["-".join(pair.split("-")[::-1])]["sentence"] == found["sentence"]
    changed = comparison.stability.changes
    changed = changed[(changed["left_out"] == "dataset") & (changed["a"] == "ALP")]
    named = changed[changed["b"] == "MD"]["name"].tolist()
    position = data["algorithms"].index("MD")
    assert data["pairs"][f"0-{position}"].get("changedWithout", []) == named
    assert all(measure["explanation"] for measure in data["measures"])


def shown(difference):
    return minus_signs(decimals(3, signed=True)(difference))


def test_scores_for_the_charts_are_those_of_the_results(comparison):
    data = pair_data(comparison)
    drawn = np.array(data["scores"], dtype=float)
    assert np.array_equal(drawn, comparison.results.scores[comparison.algorithms].to_numpy())
    names = [data["datasets"][code] for code, _ in data["tasks"]]
    assert names == comparison.results.scores.index.get_level_values(0).tolist()


def test_names_never_become_markup(hostile):
    _, markup = hostile
    page = Page(markup)
    scripts = page.all("script")
    assert len(scripts) == len(SCRIPTS) + 1
    assert page.all("img") == page.all("i") == page.comments == []
    assert "alert" not in "".join(s["text"] for s in scripts[1:])
    for element in page.elements:
        assert not {name for name in element["attributes"] if name.startswith("on")}
    main = page.all("main")[0]["text"]
    for name in ("</script><script>alert(1)</script>", "{{ 7 * 7 }}{% raw %}", "近傍法 🦊"):
        assert name in main
    assert r"two\nlines\x1b[31m" in main
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", markup)


def test_data_cannot_end_their_element_and_read_back(hostile):
    comparison, markup = hostile
    block = markup.split('id="pair-data">')[1].split("</script>")[0]
    assert not set("<>&'") & set(block)
    data = json.loads(block)
    assert data["algorithms"][comparison.algorithms.index(HOSTILE[0])] == HOSTILE[0]
    assert data["score"] == "<i>auroc</i>"


def test_bytes_are_the_same_every_time(comparison, markup):
    assert render(comparison) == markup


def test_a_single_dataset_has_ranks_and_no_pairs():
    comparison = compared(scores(["only"], ["a", "b", "c"], classes=list("123456")))
    page = Page(render(comparison))
    assert pair_data(comparison) is None
    assert not page.all("select")
    assert "p_values" not in {e["attributes"].get("data-table") for e in page.elements}


@pytest.mark.parametrize(
    ("settings", "conclusion"),
    [
        ({"alternative": "less", "correction": "holm"}, " for “b is better”"),
        ({"correction": "benjamini-yekutieli"}, "(typical difference "),
        ({"test": "ds", "correction": "none"}, ", 95 % CI ["),
        ({"estimand": "mean", "alpha": 0.1}, ", 90 % CI (all pairs) ["),
        ({"preset": "paper"}, " for “b is better”"),
        ({"control": "a"}, "were not tested against each other."),
        ({"margin": 5}, "are equivalent to within ±5 (mean difference "),
        ({"deep": True}, ", 95 % CI (all pairs) ["),
    ],
)
def test_every_kind_of_comparison_has_a_page(settings, conclusion, undrawn):
    comparison = compared(scores([f"d{i}" for i in range(7)], ["a", "b", "c"]), **settings)
    page = Page(render(comparison))
    tables = {e["attributes"].get("data-table") for e in page.elements} - {None}
    assert tables == {table.name for table in all_tables(comparison)}
    data = pair_data(comparison)
    assert data["algorithms"] == comparison.algorithms
    ends = [data["algorithms"].index(name) for name in "bc"]
    assert conclusion in data["pairs"]["-".join(map(str, ends))]["sentence"]


def test_lower_is_better_reaches_the_charts():
    frame = scores([f"d{i}" for i in range(8)], ["a", "b"])
    data = pair_data(compared(frame, higher_is_better=False, score_name="error"))
    assert data["higherIsBetter"] is False
    means = frame.groupby(level=0).mean().mean()
    labels = [measure["label"] for measure in data["measures"]]
    value, _ = data["pairs"]["0-1"]["values"][labels.index("mean difference")]
    a, b = data["algorithms"]
    assert value == shown(means[b] - means[a])


def test_missing_scores_are_null(undrawn):
    frame = scores([f"d{i}" for i in range(8)], ["a", "b", "c"])
    frame.iloc[0, 0] = np.nan
    comparison = compared(frame, missing="pairwise")
    data = pair_data(comparison)
    assert data["scores"][0][data["algorithms"].index("a")] is None
    page = Page(render(comparison))
    assert page.all("main")
    assert any(note in page.all("main")[0]["text"] for note in comparison.notes)


def test_pairs_of_many_algorithms_are_cut_and_said(hostile, undrawn, monkeypatch):
    monkeypatch.setattr("occstats.report.pair_data.MOST_ALGORITHMS", 4)
    comparison, _ = hostile
    markup = render(comparison)
    data = pair_data(comparison)
    assert len(data["algorithms"]) == 4
    assert len(data["pairs"]) == 12
    assert "the other 6 are in tables/pairwise.csv" in markup
    links = re.findall(r'data-pair="(\d+)-(\d+)"', markup)
    assert {int(end) for link in links for end in link} == {0, 1, 2, 3}


def test_what_large_comparisons_go_without_is_left_out(comparison, undrawn):
    parts = dict.fromkeys(("influence", "changes", "leave_one_dataset_out"))
    stability = dataclasses.replace(comparison.stability, **parts)
    page = Page(render(dataclasses.replace(comparison, stability=stability)))
    shown = {e["attributes"].get("data-table") for e in page.elements}
    assert not shown & set(parts)
    assert "leave_one_algorithm_out" in shown


def test_long_tables_are_cut_and_say_where_the_rest_is():
    frame = scores([f"d{i}" for i in range(MOST_ROWS // 2 + 1)], ["a", "b"])
    table = next(t for t in all_tables(compared(frame)) if t.name == "scores")
    view = table_view(table, {})
    assert len(view.rows) == MOST_ROWS
    assert view.left_out == "2 rows more are in tables/scores.csv of the report."


def test_drawing_is_small_and_means_the_same():
    markup = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'width="10pt" viewBox="0 0 10 10" aria-labelledby="t"><title id="t">T &lt;b&gt;</title>'
        "<metadata><x/></metadata><defs>"
        '<path id="m" d="M 0 0 L 1.23456 2" stroke="#222222"/></defs>'
        '<g id="a"><g clip-path="url(#p)"><use xlink:href="#m" x="1.005" fill="red"/></g>'
        '<g clip-path="url(#p)"><use xlink:href="#m" x="3" fill="red"/></g></g>'
        '<clipPath id="p"><rect width="9"/></clipPath></svg>'
    )
    assert inline_svg(markup, "f1-") == (
        '<svg viewBox="0 0 10 10" aria-labelledby="f1-0"><title id="f1-0">T &lt;b&gt;</title>'
        '<defs><path d="M 0 0 L 1.23 2" stroke="#222222" id="f1-1" /></defs>'
        '<g clip-path="url(#f1-2)" fill="red"><use href="#f1-1" x="1.00" />'
        '<use href="#f1-1" x="3" /></g>'
        '<clipPath id="f1-2"><rect width="9" /></clipPath></svg>'
    )
