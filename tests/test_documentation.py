"""The README and the site: their code runs, shows what they show, and names what exists."""

import importlib.util
import json
import re
import sys
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

import occstats
from occstats.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.append(str(DOCS))

import outputs  # noqa: E402
from outputs import BLOCK  # noqa: E402

PAGES = [
    "README.md",
    *sorted(
        path.relative_to(ROOT).as_posix()
        for path in DOCS.rglob("*.md")
        if not path.is_relative_to(DOCS / "generated")
    ),
]
TREE = re.compile(r"^```\{toctree\}\n(.*?)```", re.DOTALL | re.MULTILINE)


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page):
    return [
        found.group("kind", "body", "mark", "detail") for found in BLOCK.finditer(text_of(page))
    ]


def has_code(page):
    return any(kind in ("console", "python") for kind, _, mark, _ in blocks(page) if mark is None)


# Several pages show the output of the same comparison of a bundled table.
invoke_once = cache(outputs.invoke)


@pytest.mark.parametrize("page", [page for page in PAGES if has_code(page)])
def test_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    import matplotlib as mpl

    mpl.use("agg")
    monkeypatch.chdir(tmp_path)
    # Shown output needs the default number of resamples, everything else only has to run.
    fast = partial(occstats.compare, n_resamples=100)
    monkeypatch.setattr(occstats, "compare", fast, raising=False)
    shown = {console.end() for console, text in pairwise(BLOCK.finditer(text_of(page)))
             if text["kind"] == "text"}  # fmt: skip

    def invoke(line):
        if " compare " not in line:
            return outputs.invoke(line)
        # Shown output follows a block of one command.
        if any(text_of(page)[:end].endswith(f"\n{line}\n```") for end in shown):
            return invoke_once(line) if "compare lenz2021" in line else outputs.invoke(line)
        return outputs.invoke(line, "--n-resamples", "100")

    printed = ""
    for block, output, _ in outputs.run_page(text_of(page), invoke=invoke):
        if block["kind"] == "text" and block["mark"] is None:
            lines = [text.rstrip() for text in printed.splitlines()]
            expected = [text for text in block["body"].splitlines() if text not in ("", "…")]
            assert [text for text in expected if text not in lines] == []
        printed = output


@cache
def options():
    """Return the options of each command."""

    def parameters(command):
        yield from command.params
        for inner in getattr(command, "commands", {}).values():
            yield from parameters(inner)

    context = main.make_context("occstats", ["--version"], resilient_parsing=True)
    commands = {name: main.get_command(context, name) for name in main.list_commands(context)}
    return {
        name: {o for each in parameters(command) for o in (*each.opts, *each.secondary_opts)}
        for name, command in commands.items()
    }


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_of_a_page_exists(page):
    for kind, body, _, _ in blocks(page):
        for line in body.replace("\\\n", "").splitlines() if kind in ("console", "bash") else ():
            found = re.search(r"\boccstats ([a-z][a-z-]+)(.*?)(#.*)?$", line)
            if found and found[1] != "occstats":
                assert found[1] in options(), line
                asked = set(re.findall(r"(?<=\s)--[a-z][a-z-]+", found[2]))
                assert asked <= options()[found[1]] | {"--help"}, line
    for name in re.findall(r"`occstats ([a-z][a-z-]+)", text_of(page)):
        assert name in options()
    anywhere = set().union(*options().values(), {"--help", "--version"})
    prose = re.findall(r"`(--[a-z][a-z-]+)", BLOCK.sub("", text_of(page)))
    if "benchmarks/" not in page and "changelog" not in page:
        assert set(prose) <= anywhere


@pytest.mark.parametrize("page", PAGES)
def test_links_and_pages_of_a_page_exist(page):
    text = text_of(page)
    here = (ROOT / page).parent
    linked = re.findall(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)", text)
    linked += re.findall(r"^```\{include\} (\S+)", text, re.MULTILINE)
    for tree in TREE.findall(text):
        linked += [f"{line}.md" for line in tree.split("\n") if line and not line.startswith(":")]
    missing = [name for name in linked if "generated/" not in name and not (here / name).exists()]
    assert missing == []


def test_every_page_is_in_a_table_of_contents():
    listed = {"README.md", "docs/index.md"}
    for page in PAGES:
        for tree in TREE.findall(text_of(page)):
            names = [line for line in tree.split("\n") if line and not line.startswith(":")]
            here = (ROOT / page).parent
            listed |= {(here / f"{n}.md").resolve().relative_to(ROOT).as_posix() for n in names}
    assert set(PAGES) <= listed


@pytest.fixture(scope="module")
def document():
    return occstats.compare("lenz2021", n_resamples=100).to_dict()


def test_the_json_table_names_what_the_document_has(document):
    text = text_of("docs/reference/json.md")
    for section in ("summary", "pairwise", "kendall", "regression", "strata", "diagnostics"):
        row = re.search(rf"^\| `{section}`[^|]*\| `([^`]+)`", text, re.MULTILINE)
        assert row, section
        frame = pd.DataFrame(document[section])
        assert set(row[1].split(", ")) <= set(frame.columns), section


def schema(name):
    return json.loads((DOCS / "schema" / f"{name}.schema.json").read_text("utf-8"))


def load_generate():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    return generate


def test_pages_of_mappings_and_aliases_have_contents():
    generate = load_generate()
    assert set(generate.ITEMS) == set(generate.DATA)
    pages = generate.api("occstats.descriptors", "Descriptors")
    assert (
        "autofunction:: occstats.descriptors.log_multiple"
        in (pages["occstats-descriptors/log_multiple"])
    )
    page = generate.api("occstats.figures", "Figures")["occstats-figures/PRESETS"]
    assert "| `ieee` | 3.49 in, serif, 8 pt |" in page


def test_the_published_schema_is_that_of_the_document(document):
    # After an intended change: python docs/generate.py --schema
    generate = load_generate()
    assert generate.comparison_schema(document) == schema("comparison")


def test_documents_are_valid(document, unbalanced):
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(schema("comparison"))
    check.check_schema(schema("comparison"))
    documents = [
        document,
        occstats.compare(unbalanced, n_resamples=100).to_dict(),
        occstats.compare("lenz2021", control="ALP", estimand="mean", n_resamples=100).to_dict(),
        occstats.compare("lenz2021", preset="paper", n_resamples=100).to_dict(),
    ]
    for each in documents:
        assert [error.message for error in check.iter_errors(each)] == []
    del documents[-1]["summary"][0]["mean_rank"]
    documents[-1]["verdict"] = 5
    assert len(list(check.iter_errors(documents[-1]))) == 2


@pytest.mark.parametrize("name", ["lenz2021", "reproduction"])
def test_tables_are_valid(name):
    jsonschema = pytest.importorskip("jsonschema")
    rows = json.loads(occstats.load_results(name).to_frame().to_json(orient="records"))
    check = jsonschema.Draft202012Validator(schema("results"))
    check.check_schema(schema("results"))
    assert [error.message for error in check.iter_errors(rows)] == []
    assert list(check.iter_errors([{**rows[0], "dataset": 1}]))
