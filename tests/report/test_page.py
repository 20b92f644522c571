"""The HTML page: accessible structure, names as text, a strict policy."""

import copy
import dataclasses
import json
import re
from collections import Counter

import numpy as np
import pytest

from occstats.comparison.text.verdict import make_verdict
from occstats.figures.registry import FIGURES
from occstats.report.page import (
    MOST_NAMES,
    SCRIPTS,
    content_security_policy,
    render,
    source_hash,
)
from occstats.report.pair_data import pair_data
from occstats.report.tables import TEXTS, all_tables
from tests.report.making import compared, scores
from tests.report.parsed_page import Page
from tests.report.screens import HOSTILE


@pytest.fixture(scope="module")
def parsed(markup):
    return Page(markup)


@pytest.fixture(scope="module")
def hostile():
    return compared(scores(HOSTILE[:12], HOSTILE), score_name="<i>auroc</i>")


def test_policy_allows_these_scripts_and_styles_and_nothing_else(markup, parsed):
    metas = [meta["attributes"] for meta in parsed.all("meta")]
    text = next(m["content"] for m in metas if m.get("http-equiv") == "Content-Security-Policy")
    policy = dict(part.split(" ", 1) for part in text.split("; "))
    scripts = [s for s in parsed.all("script") if s["attributes"].get("type") is None]
    (style,) = parsed.all("style")
    assert len(scripts) == len(SCRIPTS)
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["script-src"].split() == [source_hash(script["text"]) for script in scripts]
    assert policy["style-src"] == source_hash(style["text"])
    assert policy["img-src"] == "data:"
    assert "unsafe" not in text
    # It comes before what it governs.
    assert markup.index("Content-Security-Policy") < markup.index("<style>")
    nothing = content_security_policy(scripts=[], styles=[])
    assert "script-src 'none'; style-src 'none'" in nothing


def test_nothing_is_inline_or_loaded_that_the_policy_would_block(markup, parsed):
    for element in parsed.elements:
        names = set(element["attributes"])
        assert "style" not in names
        assert not {name for name in names if name.startswith("on")}
        for name in names & {"src", "href", "xlink:href", "action", "srcset", "data"}:
            assert element["attributes"][name].startswith(("#", "data:"))
    assert not re.search(r"url\(\s*['\"]?(?!#)", markup)
    assert "@import" not in markup


def test_identifiers_are_unique_and_references_lead_somewhere(parsed):
    attributes = [element["attributes"] for element in parsed.elements]
    identities = Counter(found["id"] for found in attributes if "id" in found)
    assert [name for name, count in identities.items() if count > 1] == []
    for found in attributes:
        for name, value in found.items():
            if name in {"aria-labelledby", "aria-describedby"}:
                assert set(value.split()) <= set(identities)
            elif name.endswith("href") and value.startswith("#"):
                assert value[1:] in identities
            elif "url(#" in (value or ""):
                assert set(re.findall(r"url\(#([^)]*)\)", value)) <= set(identities)


def test_structure_is_accessible(parsed, comparison):
    assert parsed.all("html")[0]["attributes"]["lang"] == "en"
    assert len(parsed.all("h1")) == len(parsed.all("main")) == len(parsed.all("nav")) == 1
    levels = [int(e["tag"][1]) for e in parsed.elements if re.fullmatch("h[1-6]", e["tag"])]
    assert levels[0] == 1
    assert max(np.diff(levels)) <= 1
    skip = next(a for a in parsed.all("a") if a["attributes"].get("class") == "skip")
    assert skip["attributes"]["href"] == "#main"
    assert all(s["attributes"].get("aria-labelledby") for s in parsed.all("section"))
    assert sorted(parsed.tables()) == sorted(table.name for table in all_tables(comparison))
    captions = [e for e in parsed.all("caption") if e["text"].strip()]
    assert len(captions) == len(parsed.all("table")) == len(parsed.tables())
    assert {th["attributes"].get("scope") for th in parsed.all("th")} == {"col", "colgroup", "row"}
    for region in (e for e in parsed.elements if e["attributes"].get("role") == "region"):
        assert region["attributes"]["tabindex"] == "0"
        assert region["attributes"]["aria-labelledby"]
    for field in parsed.all("input") + parsed.all("select"):
        assert any(around["tag"] == "label" for around in field["inside"])


def test_figures_have_text_as_text_and_descriptions(parsed):
    drawings = parsed.all("svg")
    named = [name for section in TEXTS["sections"] for name in section.get("figures", ())]
    assert {"critical_difference", "forest"} <= set(named) <= FIGURES.keys()
    assert len(drawings) == len(named)
    for drawing in drawings:
        assert drawing["attributes"]["role"] == "img"
        inside = [e for e in parsed.elements if drawing in e["inside"]]
        texts = {e["tag"]: e["text"] for e in inside if e["tag"] in {"title", "desc"}}
        assert len(texts["title"]) > 10
        assert len(texts["desc"]) > 40
        assert any(e["tag"] == "text" for e in inside)
        assert not {e["tag"] for e in inside} & {"style", "script", "foreignobject", "metadata"}
        colours = {e["attributes"].get(name, "none") for e in inside for name in ("fill", "stroke")}
        assert len(colours) > 2
        assert all(re.fullmatch(r"none|#[0-9a-f]{6}|url\(#[\w-]+\)", c) for c in colours)


def test_the_page_begins_with_the_verdict_and_its_table(parsed, comparison):
    pairs = comparison.pairwise_full.query("a == 'ALP'").set_index("b")
    for row in parsed.rows("comparison")[1:]:
        pair = pairs.loc[row[0]["text"]]
        values = [float(e["attributes"]["data-v"]) for e in row if "data-v" in e["attributes"]]
        assert values[2:] == [pair["difference"], pair["ci_low"], pair["p"]]
        assert parsed.inside(row[-2], "a")[0]["attributes"]["data-pair"].startswith("0-")
    top = parsed.all("main")[0]["text"].split("Each dataset has equal weight.")[0]
    assert make_verdict(comparison).sentences[0] in top
    assert "bootstrap resamples" not in top


def test_names_never_become_markup(hostile, undrawn):
    markup = render(hostile)
    page = Page(markup)
    scripts = page.all("script")
    assert len(scripts) == len(SCRIPTS) + 1
    assert page.all("img") == page.all("i") == page.comments == []
    assert "alert" not in "".join(s["text"] for s in scripts[1:])
    for element in page.elements:
        assert not {name for name in element["attributes"] if name.startswith("on")}
    main = page.all("main")[0]["text"]
    for name in ("</script><script>alert(1)</script>", "{{ 7 * 7 }}{% raw %}", "近傍法", "🦊"):
        assert name in main
    assert r"two\nlines" in main
    # The verdict names few of many algorithms; readers unfold the others.
    assert f"{len(HOSTILE) - 1 - MOST_NAMES} more" in [e["text"] for e in page.all("summary")]
    assert r"red\x1b[31mALP" in main
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", markup)
    # The data cannot end their element, and read back.
    block = markup.split('id="pair-data">')[1].split("</script>")[0]
    assert not set("<>&'") & set(block)
    data = json.loads(block)
    assert data["algorithms"][hostile.algorithms.index(HOSTILE[0])] == HOSTILE[0]
    assert data["score"] == "<i>auroc</i>"


def test_pairs_of_many_algorithms_are_cut_with_a_note(hostile, undrawn, monkeypatch):
    monkeypatch.setattr("occstats.report.pair_data.MOST_ALGORITHMS", 4)
    data, markup = pair_data(hostile), render(hostile)
    assert (len(data["algorithms"]), len(data["pairs"])) == (4, 12)
    assert "the other 21 are in tables/pairwise.csv" in markup
    links = re.findall(r'data-pair="(\d+)-(\d+)"', markup)
    assert {int(end) for link in links for end in link} == {0, 1, 2, 3}


def test_absent_analyses_are_left_out(comparison, undrawn):
    parts = dict.fromkeys(("influence", "changes", "leave_one_dataset_out"))
    stability = dataclasses.replace(comparison.stability, **parts)
    changed = copy.copy(comparison)
    vars(changed).update(stability=stability)
    tables = Page(render(changed)).tables()
    assert not set(tables) & set(parts)
    assert "leave_one_algorithm_out" in tables


def test_a_single_task_has_a_page(undrawn):
    tables = Page(render(compared(scores(["d"], "abc", classes=("1",))))).tables()
    assert "scores" in tables
    assert "friedman" not in tables


def test_long_tables_are_cut_with_a_note(undrawn):
    classes = [str(label) for label in range(334)]
    markup = render(compared(scores(["one", "two", "three"], ["a", "b"], classes=classes)))
    table = markup.split('data-table="scores"')[1].split("</table>")[0]
    assert table.count("<tr>") == 1 + 1000
    assert "1,000 of 1,002 rows; all are in tables/scores.csv." in markup
