"""Docstrings: every parameter is documented, and the wording follows the conventions."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import occstats
from occstats import figures

ROOT = Path(__file__).parents[1]
CODE = [
    path
    for pattern in ("occstats/**/*.py", "descriptors/**/*.py", "tests/**/*.py",
                    "benchmarks/**/*.py", "docs/*.py", ".ci/*.py")
    for path in ROOT.glob(pattern)
]  # fmt: skip
PROSE = [
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "benchmarks/**/*.md",
        ".ci/*",
        "Makefile",
        "R/*.R",
        "notebooks/*.ipynb",
    )
    for path in ROOT.glob(pattern)
    if path.is_file() and "generated" not in path.parts
]


def documented_parameters(function):
    """Return the names in the section Parameters of a numpydoc docstring."""
    section = inspect.getdoc(function).split("Parameters\n----------\n")[1]
    section = re.split(r"\n\n\w+\n-+\n", section)[0]
    heads = re.findall(r"^([*\w][\w*, ]*?)(?: : .+)?\n(?=    \S)", section, flags=re.MULTILINE)
    return [name.strip() for head in heads for name in head.split(",")]


@pytest.mark.parametrize(
    "function",
    [
        occstats.compare,
        occstats.load_results,
        *(entry.function() for entry in figures.FIGURES.values()),
    ],
    ids=lambda function: function.__qualname__,
)
def test_every_parameter_is_documented(function):
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    taken = [
        f"{stars.get(parameter.kind, '')}{name}"
        for name, parameter in inspect.signature(function).parameters.items()
    ]
    assert sorted(documented_parameters(function)) == sorted(taken)


def docstrings(path):
    """Yield the qualified name and the docstring of a module and of everything in it."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield f"{path.relative_to(ROOT)}: {getattr(node, 'name', 'module')}", text


def test_no_docstring_begins_with_a_question_word():
    question = re.compile(r"(what|whether|how|which|who|whose|where|when)\b", re.IGNORECASE)
    wrong = [
        f"{name}: {text.splitlines()[0]}"
        for path in CODE
        for name, text in docstrings(path)
        if question.match(text)
    ]
    assert wrong == []


# Titles of cited works, and column names in other people's tables.
QUOTED = re.compile(
    r"(over|on) multiple data sets|[\"'`]data[ _]?sets?[\"'`]|Data Set-ID|\|data set"
    r"|dataset data data_set",
    re.IGNORECASE,
)


def test_dataset_is_one_word():
    wrong = []
    for path in [*CODE, *PROSE]:
        if path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if re.search(r"\bdata[ _-]sets?\b", QUOTED.sub("", line), re.IGNORECASE):
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    assert wrong == []
