"""Reports of some comparisons are as recorded in ``reports.txt``: LaTeX, Markdown, page, JSON.

See `tests.recorded` for the form of that file and how to record it again.
"""

import functools
import json
import re

import pytest

import occstats
from occstats.report.bundle import contents
from tests.conftest import unbalanced_table
from tests.recorded import cases, check_case
from tests.report.parsed_page import Page

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.mark.parametrize("case", cases("reports"))
def test_reports_are_as_recorded(case, tmp_path):
    names = {each.__name__: each for each in (files, file, page, pairs, shown)}
    check_case("reports", case, lambda command: eval(command, names), tmp_path)


@functools.cache
def compared(failures=False, prefix="", one=False, folds=False, **settings):
    table = unbalanced_table()
    if not folds:
        table = table.drop_duplicates(["dataset", "class", "algorithm"])
        table = table.drop(columns=["fold", "repeat"])
    table["algorithm"] = prefix + table["algorithm"]
    if failures:
        failed = (table["algorithm"] == f"{prefix}A1") & table["dataset"].isin(["d2", "d5"])
        table["reward"] = table["reward"].mask(failed)
    if one:
        table = table[table["dataset"] == "d1"]
    return occstats.compare(table, **{"lower_is_better": False, "n_resamples": 200, **settings})


@functools.cache
def files_of(**settings):
    return contents(compared(**settings))


def files(**settings):
    """Return the names and sizes in lines of all files."""
    found = files_of(**settings)
    return "\n".join(f"{name}: {len(found[name].splitlines())} lines" for name in sorted(found))


def file(name, **settings):
    return without_versions(files_of(**settings)[name])


def without_versions(text):
    text = text.replace(f"occstats {occstats.__version__}", "occstats VERSION")
    return re.sub(r"\n.*version of .*", "", text)


def page(**settings):
    """Return the text of the page, without the rows of its tables, which Markdown has, too."""
    markup = re.sub(r"<tbody.*?</tbody>", "", files_of(**settings)["report.html"], flags=re.DOTALL)
    (main,) = Page(markup).all("main")
    lines = (" ".join(line.split()) for line in main["text"].splitlines())
    return without_versions("\n".join(line for line in lines if line))


def pairs(**settings):
    """Return what the page says about each pair."""
    markup = files_of(**settings)["report.html"]
    data = json.loads(markup.split('id="pair-data">')[1].split("</script>")[0])
    lines = [
        f"{name}: {json.dumps(data[name])}" for name in data if name not in ("pairs", "whatIf")
    ]
    lines += [f"{name}: {json.dumps(data['pairs'][name])}" for name in data["pairs"]]
    return "\n".join(line for line in lines if len(line) < 2_000).replace("\\u2212", "−")


def shown(how, **settings):
    """Return the text of a notebook: "html", "latex" or "text"."""
    comparison = compared(**settings)
    if how == "html":
        return comparison._repr_html_().partition("<details>")[0].replace("><", ">\n<")
    return comparison._repr_latex_() if how == "latex" else f"{comparison!r}\n{comparison}"
