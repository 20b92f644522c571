"""Generate pages and files of the site: commands, API, gallery, JSON schema, llms.txt.

usage: python docs/generate.py [--schema]    (conf.py calls it; --schema writes docs/schema only)
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
OUT = HERE / "generated"

# Module → title of its page
MODULES = {
    "occstats": "Main functions",
    "occstats.stats": "Statistics",
    "occstats.figures": "Figures",
    "occstats.descriptors": "Descriptors",
    "occstats.experiment": "Experiments",
    "occstats.tuning": "Tuning",
}

# Module-level data has no docstring.
DATA = {
    "occstats.descriptors.DESCRIPTORS": "The nine descriptors: a mapping from names to classes.",
    "occstats.figures.FIGURES": "All figures, by name, with their captions and inputs.",
    "occstats.figures.PRESETS": "Widths and fonts of the journals that ``width`` names.",
    "occstats.tuning.PAPER": "The grids of Lenz et al. (2021), by descriptor.",
}


def _axis(axis: Any) -> str:
    """Return a parameter of a grid and its values."""
    form = {
        "log": f"{axis.name} log n with {axis.name} = ",
        "dimension": f"{axis.name}′·m with {axis.name}′ = ",
    }
    low, high = min(axis.values), max(axis.values)
    return (
        f"`{axis.parameter}` = {form.get(axis.rule, '')}{low:g} to {high:g} "
        f"({len(axis.values):,} values)"
    )


# Description of each item of the mappings in DATA.
ITEMS: dict[str, Callable[[Any], str]] = {
    "occstats.descriptors.DESCRIPTORS": lambda value: value.__doc__.strip().splitlines()[0],
    "occstats.figures.FIGURES": lambda value: value.caption,
    "occstats.figures.PRESETS": lambda value: (
        f"{value.width:.2f} in, {'serif' if value.serif else 'sans serif'}, {value.font_size:g} pt"
    ),
    "occstats.tuning.PAPER": lambda value: "; ".join(map(_axis, value)),
}

# Code of the gallery before that of the figures, each of which assigns `axes`.
SETUP = """import occstats
from occstats import figures

comparison = occstats.compare("lenz2021")
"""
SOURCES = {
    "trade_off": """names = ["NND", "LOF", "ALP", "MD", "IF"]
table = occstats.run_experiment(descriptors=names, jobs=1, progress=False)
seconds = table.assign(seconds=table["fit_seconds"] + table["query_seconds"])
times = seconds.pivot_table(index=["dataset", "class"], columns="descriptor", values="seconds")
axes = occstats.compare(table).plot.trade_off(times.add_prefix("time_").reset_index())
""",
    "sweep": """sweep = occstats.tune(datasets=["iris"], descriptors=["NND"], jobs=1)
axes = figures.sweep(sweep.curves)
""",
    "times": """import pandas as pd

measured = pd.read_csv("benchmarks/descriptors/growth_descriptors.csv")
wide = measured.pivot_table(index=["contender", "n"], columns="data", values="seconds")
frame = wide.reset_index().rename(
    columns={"contender": "descriptor", "fit": "fit_seconds", "score 1,024": "query_seconds"}
)
axes = figures.times(frame.assign(n_queries=1024))
""",
}

# Titles of cards that are not the name of the figure with spaces.
CARDS = {
    "p_values": "p-values",
    "trade_off": "trade-off",
    "alp_diagram": "ALP diagram",
    "alp_example": "ALP example",
}


def code_of(name: str, needs: tuple[str, ...]) -> str:
    """Return the code that draws a figure, as the gallery shows and runs it."""
    if name in SOURCES:
        return SOURCES[name]
    arguments = '"ALP", "SVM"' if name in ("scatter", "dataset_effects") else ""
    return f"axes = {'comparison.plot' if needs else 'figures'}.{name}({arguments})\n"


def gallery() -> str:
    """Draw every figure and write the page that shows it with its code."""
    import contextlib
    import tempfile

    import matplotlib.pyplot as plt

    from occstats import figures

    namespace: dict[str, Any] = {}
    exec(SETUP, namespace)
    lines = [
        "# Gallery",
        "",
        "This page shows every figure with its code. All examples begin with the lines below. "
        "[Figures for a journal](../how-to/figures.md) describes widths and file formats.",
        "",
        f"```python\n{SETUP}```",
        "",
    ]
    lines += ["::::{grid} 2 3 4 4", ":gutter: 2", ":class-container: gallery", ""]
    for name in figures.FIGURES:
        lines += [
            ":::{grid-item-card} " + CARDS.get(name, name.replace("_", " ")),
            f":img-bottom: {name}.svg",
        ]
        lines += [f":link: figure-{name}", ":link-type: ref", ":text-align: center", ":::"]
    lines += ["::::", ""]
    for name, entry in figures.FIGURES.items():
        code = code_of(name, entry.needs)
        with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
            os.symlink(HERE.parent / "benchmarks", "benchmarks")
            exec(code, namespace)
        figures.save(namespace["axes"], OUT / name, formats=["svg"])
        plt.close("all")
        alternative = " ".join(figures.alt_text(namespace["axes"]).split())
        alternative = alternative.replace("[", "(").replace("]", ")")
        lines += [f"(figure-{name})=", f"## {name}", "", f"{entry.caption}.", ""]
        lines += [f"![{alternative}]({name}.svg)", "", "```python", code.rstrip(), "```", ""]
    return "\n".join(lines)


def commands() -> dict[str, str]:
    """Return a page for each command, and one that lists them."""
    import click

    from occstats.cli import main

    pages: dict[str, str] = {}
    # The command that describes an option first, by the text of the option.
    described: dict[tuple[str, str], str] = {}
    lines = [
        "# Commands",
        "",
        "Exit codes: 0 for success; 1 if a fit failed; 2 for bad input, with a message "
        "that says what is wrong and how to fix it; 3 and 4 for the outcomes of `gate`; 130 after "
        "an interrupt. Every command has the option `--help`, and those with many options "
        "`--help-all`.",
        "",
        "| command | |",
        "| --- | --- |",
    ]

    def describe(command: click.Command, path: str, parent: click.Context | None) -> None:
        context = click.Context(command, info_name=path.rsplit(maxsplit=1)[-1], parent=parent)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                describe(inner, f"{path} {name}", context)
            return
        place = path.replace(" ", "-")
        lines.append(f"| [{path}](commands/{place}.md) | {command.get_short_help_str(200)} |")
        pages[f"commands/{place}"] = _command_page(command, path, context, described)

    describe(main, "occstats", None)
    names = "\n".join(pages)
    tree = f"```{{toctree}}\n:hidden:\n\n{names}\n```"
    return {"commands": "\n".join([*lines, "", tree, ""]), **pages}


def _command_page(
    command: Any, path: str, context: Any, described: dict[tuple[str, str], str]
) -> str:
    import click

    usage = " ".join(command.collect_usage_pieces(context))
    prose, _, examples = (command.help or "").partition("\b")
    lines = [f"# {path}", "", " ".join(prose.split()).replace("<", "&lt;"), ""]
    lines += ["```text", f"{path} {usage}", "```", ""]
    if examples.strip():
        lines += ["```text", *(line.strip() for line in examples.strip().splitlines()), "```", ""]
    groups: dict[str, list[tuple[str, str]]] = {}
    shared: dict[str, list[str]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if not isinstance(parameter, click.Option) or record is None or "--help" in record[0]:
            continue
        first = described.setdefault(record, path)
        if first == path:
            groups.setdefault(getattr(parameter, "group", "Options"), []).append(record)
        else:
            shared.setdefault(first, []).append(f"`{re.findall('--[a-z-]+', record[0])[-1]}`")
    for title, records in groups.items():
        lines += [f"## {title}", "", "| option | meaning |", "| --- | --- |"]
        for name, text in records:
            code = name.replace("|", "\\|")
            lines.append(f"| `{code}` | {_cell(text)} |")
        lines.append("")
    for first, names in shared.items():
        lines += [f"As in [{first}]({first.replace(' ', '-')}.md): {', '.join(names)}.", ""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    text = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
    return re.sub(r"(?<![\w-])--[a-z][a-z-]+", r"`\g<0>`", text)


def _items(module: str, name: str, found: Any) -> list[str]:
    """Return a table of the names in a mapping and what they stand for."""
    if (write := ITEMS.get(f"{module}.{name}")) is None:
        return []
    rows = [f"| `{key}` | {write(value)} |" for key, value in found.items()]
    return ["| name | |", "| --- | --- |", *rows, ""]


def api(module: str, title: str) -> dict[str, str]:
    """Return a page for each public name of a module, and one that lists them."""
    import inspect

    loaded = import_module(module)
    place = module.replace(".", "-")
    pages: dict[str, str] = {}
    tables: dict[str, list[str]] = {"function": [], "class": [], "data": []}
    for name in sorted(name for name in loaded.__all__ if not name.startswith("__")):
        found = getattr(loaded, name)
        if inspect.ismodule(found):
            continue  # it has a page of its own
        # An alias such as log_multiple is called like a function.
        is_class = inspect.isclass(found) and found.__name__ == name
        kind = "class" if is_class else "function" if callable(found) else "data"
        # Methods that scikit-learn adds refer to its own documentation.
        members = [":members:", ":exclude-members: set_fit_request, set_score_request, study"]
        lines = [f"# {name}", "", "```{eval-rst}", f".. auto{kind}:: {module}.{name}"]
        lines += [f"   {each}" for each in members if kind == "class"]
        pages[f"{place}/{name}"] = "\n".join([*lines, "```", "", *_items(module, name, found)])
        text = DATA[f"{module}.{name}"] if kind == "data" else inspect.getdoc(found) or ""
        summary = " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")
        summary = re.sub(r":\w+:`|``", "`", summary)
        tables[kind].append(f"| [{name}]({place}/{name}.md) | {summary} |")
    lines = [f"# {title}: `{module}`", ""]
    lines += ["```{eval-rst}", f".. automodule:: {module}", "```", ""]
    for heading, rows in zip(("Functions", "Classes", "Data"), tables.values(), strict=True):
        if rows:
            lines += [f"## {heading}", "", "| | |", "| --- | --- |", *rows, ""]
    names = "\n".join(pages)
    lines += ["```{toctree}", ":hidden:", "", names, "```", ""]
    return {place: "\n".join(lines), **pages}


def schema_of(value: Any, explanations: dict[str, str], name: str = "") -> dict[str, Any]:
    """Return the JSON schema of a value and of all values like it."""
    kinds = {bool: "boolean", int: "number", float: "number", str: "string"}
    found: dict[str, Any]
    if value is None:
        found = {}
    elif type(value) in kinds:
        found = {"type": [kinds[type(value)], "null"]}
    elif isinstance(value, list):
        found = {"type": "array"}
        if value:
            found["items"] = schema_of(value[0], explanations)
    else:
        rows = {key: schema_of(item, explanations, key) for key, item in value.items()}
        found = {"type": "object", "properties": rows, "required": sorted(rows)}
    if name in explanations:
        found["description"] = explanations[name]
    return found


def comparison_schema(document: dict[str, Any]) -> dict[str, Any]:
    """Derive the schema of `occstats compare --json` from a document."""
    from occstats.comparison.text.columns import EXPLANATIONS

    described = schema_of(document, dict(EXPLANATIONS))
    described["properties"]["meta"]["properties"]["versions"].pop("required")
    # Holm's and similar corrections, and one-sided tests, have no intervals.
    required = described["properties"]["pairwise"]["items"]["required"]
    required[:] = [name for name in required if name not in ("ci_low", "ci_high")]
    top = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "occstats compare --json",
        "description": "A comparison. A number is null if it is undefined or infinite; a section "
        "is null if it was not computed. Later versions may add keys.",
    }
    return {**top, **described}


def write_schema() -> None:
    import occstats

    document = occstats.compare("lenz2021", n_resamples=100).to_dict()
    text = json.dumps(comparison_schema(document), indent=1, ensure_ascii=False) + "\n"
    (HERE / "schema" / "comparison.schema.json").write_text(text, encoding="utf-8")


def tests() -> str:
    """Return a table of the number of test functions in each folder of tests."""
    lines = ["| tests of | files | test functions |", "| --- | ---: | ---: |"]
    files: dict[str, list[int]] = {}
    for path in sorted((HERE.parent / "tests").rglob("test_*.py")):
        top = path.parent.name == "tests"
        name = "the project and its documentation" if top else path.parent.name
        count = len(re.findall(r"^ *def test_", path.read_text("utf-8"), re.MULTILINE))
        files.setdefault(name, []).append(count)
    files["all"] = [count for counts in files.values() for count in counts]
    lines += [f"| {name} | {len(counts)} | {sum(counts):,} |" for name, counts in files.items()]
    return "\n".join(lines) + "\n"


def llms() -> str:
    """Return llms.txt: the title and the first sentence of every page, for language models."""
    from occstats.cli.main import main as group

    lines = ["# occstats", "", f"> {(group.help or '').splitlines()[0]}", ""]
    for folder in (HERE, *sorted(path for path in HERE.iterdir() if path.is_dir())):
        pages = [page for page in sorted(folder.glob("*.md")) if page != OUT / "tests.md"]
        if pages:
            title = {HERE: "Site", OUT: "Commands, API and gallery"}.get(folder, folder.name)
            lines += ["", f"## {title[0].upper()}{title[1:]}", ""]
        for page in pages:
            text = page.read_text("utf-8")
            if included := re.match(r"```{include} (\S+)", text):
                text = (folder / included[1]).read_text("utf-8")
            title, _, body = text.partition("\n")
            body = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", body)
            # The first sentence of the first paragraph that is neither a heading nor code.
            first = re.search(
                r'^[A-Z`*"](?!``)(?:.|\n(?!\n))*?[.:](?=\s)', body + "\n", re.MULTILINE
            )
            address = page.relative_to(HERE).with_suffix(".html").as_posix()
            note = f": {' '.join(first[0].split()).rstrip(':.')}" if first else ""
            lines.append(f"- [{title.lstrip('# ')}]({address}){note}")
    return "\n".join(lines) + "\n"


def main() -> None:
    import matplotlib as mpl

    mpl.use("agg")
    OUT.mkdir(exist_ok=True)
    (OUT / "site").mkdir(exist_ok=True)
    pages = {**commands(), "tests": tests()}
    # Figures take most of the time; `DRAFT=1 make docs` keeps existing ones.
    if not (os.environ.get("DRAFT") and (OUT / "gallery.md").exists()):
        pages["gallery"] = gallery()
    for notebook in sorted((HERE.parent / "notebooks").glob("*.ipynb")):
        shutil.copy(notebook, OUT)
    for module, title in MODULES.items():
        pages |= api(module, title)
    for path in OUT.glob("*/*.md"):
        if path.relative_to(OUT).with_suffix("").as_posix() not in pages:
            path.unlink()  # of a name that is gone
    for name, text in pages.items():
        path = OUT / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")
    (OUT / "site" / "llms.txt").write_text(llms(), encoding="utf-8")


if __name__ == "__main__":
    write_schema() if "--schema" in sys.argv else main()
