"""The site is run: every command and Python block of its pages, page by page, and its schemas."""

import importlib.util
import json
import re
import shlex
from functools import partial
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import occstats
from occstats.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(
    path.relative_to(DOCS).as_posix()
    for path in DOCS.rglob("*.md")
    if not path.is_relative_to(DOCS / "generated")
)
BLOCK = re.compile(
    r"(?:<!-- (?P<what>not run|file): (?P<detail>[^>]+) -->\n)?"
    r"```(?P<kind>\w+)\n(?P<body>.*?)```",
    re.S,
)


def blocks(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    return [(*found.group("kind", "body", "what", "detail"),) for found in BLOCK.finditer(text)]


def has_code(page):
    return any(kind in ("console", "python") for kind, _, what, _ in blocks(page) if what is None)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if has_code(page)])
def test_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    import matplotlib as mpl

    mpl.use("agg")
    monkeypatch.chdir(tmp_path)
    # What is tested is that it runs; few resamples do.
    monkeypatch.setattr(
        occstats, "compare", partial(occstats.compare, n_resamples=100), raising=False
    )
    namespace, printed = {}, []
    found = blocks(page)
    for (kind, body, what, detail), (following, *_) in pairwise([*found, ("end",)]):
        if what == "file":
            (tmp_path / detail).write_text(body, encoding="utf-8")
        elif what is None and kind == "python":
            exec(compile(body, page, "exec"), namespace)
        elif what is None and kind == "console":
            for line in body.splitlines():
                program, *arguments = shlex.split(line.removeprefix("$ "), comments=True)
                assert program == "occstats", line
                if arguments[0] == "compare" and following != "text":
                    arguments += ["--n-resamples", "100"]
                result = CliRunner().invoke(main, arguments)
                assert result.exit_code == 0, (line, result.output, result.exception)
                printed = [text.rstrip() for text in result.stdout.splitlines()]
        elif what is None and kind == "text":
            shown = [text for text in body.splitlines() if text not in ("", "…")]
            assert [text for text in shown if text not in printed] == []


# Names of version 0.2 that have a successor; only the changelog may speak of them.
REMOVED = (
    "p_adjusted|p_simultaneous|p_naive|prob_best|P\\(best\\)|misled|hodges_lehmann|--rule|--confidence"
    "|ds-weighted|--null (exact|permutation)|Skillings|specification|tied for first|data sets?\\b"
)


@pytest.mark.parametrize("page", [page for page in PAGES if not page.startswith("benchmarks/")])
def test_a_page_has_no_name_of_an_earlier_version(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    # An option of check-r is still called so.
    text = text.replace("check-r --null exact", "")
    assert [found[0] for found in re.finditer(REMOVED, text)] == []


def options():
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
    known = options()
    for kind, body, _, _ in blocks(page):
        for line in body.splitlines() if kind in ("console", "bash") else ():
            found = re.search(r"\boccstats ([a-z][a-z-]+)(.*?)(#.*)?$", line)
            if found and found[1] != "occstats":
                assert found[1] in known, line
                asked = set(re.findall(r"(?<=\s)--[a-z][a-z-]+", found[2]))
                assert asked <= known[found[1]] | {"--help"}, line


@pytest.mark.parametrize("page", PAGES)
def test_links_and_pages_of_a_page_exist(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    here = (DOCS / page).parent
    linked = re.findall(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)", text)
    linked += re.findall(r"^```\{include\} (\S+)", text, re.M)
    for tree in re.findall(r"^```\{toctree\}\n(.*?)```", text, re.S | re.M):
        linked += [f"{line}.md" for line in tree.split("\n") if line and not line.startswith(":")]
    missing = [name for name in linked if "generated/" not in name and not (here / name).exists()]
    assert missing == []


def test_every_page_is_in_a_table_of_contents():
    listed = {"index.md"}
    for page in PAGES:
        text = (DOCS / page).read_text(encoding="utf-8")
        for tree in re.findall(r"^```\{toctree\}\n(.*?)```", text, re.S | re.M):
            names = [line for line in tree.split("\n") if line and not line.startswith(":")]
            listed |= {
                ((DOCS / page).parent / f"{name}.md").resolve().relative_to(DOCS).as_posix()
                for name in names
            }
    assert set(PAGES) <= listed


def test_the_json_table_names_what_the_document_has():
    text = (DOCS / "reference/json.md").read_text(encoding="utf-8")
    document = occstats.compare("lenz2021", n_resamples=100).to_dict()
    for section in ("summary", "pairwise", "kendall", "regression", "strata", "diagnostics"):
        row = re.search(rf"^\| `{section}`[^|]*\| `([^`]+)`", text, re.M)
        assert row, section
        frame = pd.DataFrame(document[section])
        assert set(row[1].split(", ")) <= set(frame.columns), section


def schema(name):
    return json.loads((DOCS / "schema" / f"{name}.schema.json").read_text("utf-8"))


def generate():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_published_schema_is_that_of_the_document():
    # After a change that is meant: python docs/generate.py --schema
    assert generate().comparison_schema() == schema("comparison")


def test_documents_are_valid(unbalanced):
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(schema("comparison"))
    check.check_schema(schema("comparison"))
    for results, options in (
        (unbalanced, {}),
        ("lenz2021", {"control": "ALP", "estimand": "mean"}),
        ("lenz2021", {"preset": "paper"}),
    ):
        document = occstats.compare(results, n_resamples=100, **options).to_dict()
        assert [error.message for error in check.iter_errors(document)] == []
    del document["summary"][0]["mean_rank"]
    document["verdict"] = 5
    assert len(list(check.iter_errors(document))) == 2


@pytest.mark.parametrize("name", ["lenz2021", "reproduction"])
def test_tables_are_valid(name, tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    occstats.load_results(name).write(tmp_path / "table.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "table.jsonl").read_text().splitlines()]
    check = jsonschema.Draft202012Validator(schema("results"))
    check.check_schema(schema("results"))
    assert [error.message for error in check.iter_errors(rows)] == []
    assert list(check.iter_errors([{**rows[0], "dataset": 1}]))
