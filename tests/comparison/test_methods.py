"""The methods section and the sentences of columns, under every setting."""

import functools
import re

import numpy as np
import pandas as pd
import pytest

from occstats.comparison.text.columns import EXPLANATIONS
from occstats.comparison.text.methods import references
from occstats.report.bundle import methods_to_latex
from occstats.report.json_document import FRAMES, SECTIONS
from tests.comparison.synthetic import compare, table

UNEQUAL = table([2, 3] * 10, (0.1, 0.0, 0.0))
SETTINGS = [
    {},
    {"estimand": "mean"},
    {"preset": "paper"},
    {"preset": "paper", "test": "ds"},
    {"control": "A1"},
    {"control": "A1", "estimand": "mean"},
    {"margin": 0.05},
    {"margin": 0.05, "estimand": "typical", "test": "ds", "control": "A1"},
    {"correction": "holm"},
    {"correction": "hochberg", "null": "asymptotic"},
    {"correction": "bonferroni"},
    {"correction": "benjamini-hochberg", "estimand": "mean"},
    {"correction": "benjamini-yekutieli", "alternative": "less"},
    {"correction": "none"},
    {"correction": "none", "estimand": "mean", "null": "asymptotic"},
]


@functools.cache
def _unequal(items):
    return compare(UNEQUAL, **dict(items))


def unequal(**settings):
    return _unequal(tuple(sorted(settings.items())))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_every_citation_is_a_reference_and_no_place_is_left(settings):
    methods = unequal(**settings).methods_text
    text = methods.text()
    assert len(methods.blocks()[0].split()) <= 90
    assert not re.search(r"[{}]|data set|None|nan", text.partition("\n\nReferences")[0])
    for work in methods.references:
        assert f"({work.cited})" in text
        assert work.text in text
    latex, bibliography = methods_to_latex(methods), methods.bibtex()
    cited = set(re.findall(r"\\cite\{(\w+)\}", latex))
    assert cited == {work.key for work in methods.references}
    assert cited == set(re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE))


def test_every_work_is_cited_somewhere():
    other = [{"test": "ds"}]
    binary = UNEQUAL.assign(reward=(UNEQUAL["reward"] > 0.55).astype(int))
    found = [unequal(**settings) for settings in SETTINGS + other]
    found += [compare(table([1] * 12)), compare(binary)]
    cited = {work.key for each in found for work in each.methods_text.references}
    assert cited | {"jiang2020"} == set(references())  # which needs R


def test_references_are_read_from_the_bibliography():
    works = references()
    assert works["holm1979"].text == (
        "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
        "Journal of Statistics 6(2), 65–70."
    )
    assert works["jiang2020"].cited == "Jiang et al., 2020"
    assert works["miller2024"].text.endswith("evaluations. arXiv:2411.00640.")
    assert "Business & Economic" in works["pustejovsky2018"].text
    assert r"Business \& Economic" in works["pustejovsky2018"].bibtex
    for key, work in works.items():
        assert work.bibtex.startswith("@")
        assert work.bibtex.count("{") == work.bibtex.count("}")
        assert not re.search(r"[{}\\]", work.text + work.cited), key


def test_intervals_are_a_list_in_every_form():
    methods = unequal().methods_text
    (items,) = (block for block in methods.blocks() if not isinstance(block, str))
    assert items[0].startswith("differences: inversion of the sign-flip test")
    assert items[-1].endswith(".")
    assert f"\n- {items[0]}\n" in methods.text()
    latex = methods_to_latex(methods)
    assert latex.count(r"\item ") == len(items)
    assert "~\\cite{" in latex
    assert latex.split("\n\n")[1].startswith("% The details follow")


def test_names_in_the_methods_are_escaped():
    frame = UNEQUAL.replace({"algorithm": {"A1": r"\input{x}"}})
    latex = methods_to_latex(compare(frame, control=r"\input{x}").methods_text)
    assert r"\textbackslash{}input\{x\}" in latex


def frames_of(found):
    for name in (*FRAMES, *SECTIONS):
        part = getattr(found, name)
        inner = getattr(part, "__dataclass_fields__", ())
        yield from ((name, part), *((each, getattr(part, each)) for each in inner))


def test_every_column_has_a_sentence_and_every_sentence_a_column():
    folds = pd.concat([UNEQUAL.assign(fold=fold) for fold in range(3)])
    folds["reward"] += np.random.default_rng(1).normal(scale=0.01, size=len(folds))
    binary = UNEQUAL.assign(reward=(UNEQUAL["reward"] > 0.55).astype(int))
    names = set()
    for found in (
        compare(folds),
        compare(binary),
        compare(UNEQUAL.iloc[:-1], missing="pairwise"),
    ):
        for name, part in frames_of(found):
            names.add(name)
            if isinstance(part, pd.DataFrame):
                unexplained = {column for column in part.columns if not found.explain(column)}
                assert unexplained <= {"a", "b", "algorithm", "dataset", "class"}, name
                names |= set(part.columns)
    stems = {re.sub(r"(_low|_high)$", "", name) for name in names} | names
    stems |= {stem.removesuffix("_ci") for stem in stems}
    assert set(EXPLANATIONS) <= stems


def test_sentences_are_sentences():
    for sentence in EXPLANATIONS.values():
        assert sentence.endswith(".")
        assert "data set" not in sentence
        assert ". " not in sentence
        assert len(sentence) < 200
