"""Run the code of a Markdown page and add what it prints and draws.

Blocks of ``console`` and ``python`` run from top to bottom in one folder. The comment
``<!-- file: NAME -->`` before a block writes it to a file, ``<!-- not run: REASON -->`` skips it.
A backslash continues a command on the next line.
"""

import ast
import contextlib
import io
import re
import shlex
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

BLOCK = re.compile(
    r"(?:<!-- (?P<mark>not run|file): (?P<detail>[^>]+) -->\n)?"
    r"```(?P<kind>\w+)\n(?P<body>.*?)```",
    re.DOTALL,
)
MOST_LINES, MOST_COLUMNS = 40, 100


def invoke(line: str, *options: str) -> str:
    """Return what a command prints on a terminal of 80 columns.

    A command whose comment is ``# exit code 2`` must be refused; its message is returned.
    """
    from click.testing import CliRunner

    from occstats.cli import main

    program, *arguments = shlex.split(line.removeprefix("$ "), comments=True)
    assert program == "occstats", line
    result = CliRunner(env={"COLUMNS": "80"}).invoke(main, [*arguments, *options])
    refused = line.endswith("# exit code 2")
    assert result.exit_code == 2 * refused, (line, result.output, result.exception)
    return result.stderr if refused else result.stdout


def execute(body: str, namespace: dict[str, Any]) -> str:
    """Run Python code; return what it prints and its last expression, as in a notebook."""
    import pandas as pd

    tree = ast.parse(body)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<page>", "exec"), namespace)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<page>", "eval"), namespace)
    if isinstance(value, pd.DataFrame):
        value = value.head(10).to_string(max_cols=8, float_format="{:.3g}".format)
    if value is not None and not hasattr(value, "figure") and not hasattr(value, "ravel"):
        print(value, file=printed)
    return printed.getvalue()


def run_page(
    text: str, *, invoke: Callable[..., str] = invoke
) -> Iterator[tuple[re.Match[str], str, list[Path]]]:
    """Run the blocks in the current folder; yield each, its output and the figures it drew."""
    import matplotlib.pyplot as plt

    namespace: dict[str, Any] = {}
    for block in BLOCK.finditer(text):
        kind, body, mark, detail = block.group("kind", "body", "mark", "detail")
        before = {*Path().rglob("*.svg")}
        printed = ""
        if mark == "file":
            Path(detail).write_text(body, encoding="utf-8")
        elif mark is None and kind == "python":
            plt.close("all")
            printed = execute(body, namespace)
            for number in plt.get_fignums():
                plt.figure(number).savefig(f"{block.start()}-{number}.svg")
        elif mark is None and kind == "console":
            outputs = map(invoke, body.replace("\\\n", "").splitlines())
            printed = "\n".join(filter(None, outputs))  # a blank line between commands
        yield block, printed, sorted({*Path().rglob("*.svg")} - before)


def fit(line: str) -> list[str]:
    """Wrap a long line of prose, and cut any other."""
    if len(line) <= MOST_COLUMNS:
        return [line]
    prose = "  " not in line and not line.startswith((" ", "{", "["))
    return textwrap.wrap(line, 80) if prose else [f"{line[:MOST_COLUMNS]}…"]


def with_outputs(text: str, name: str, folder: Path) -> str:
    """Return the page with outputs and figures; figures are kept in a folder below ``docs``."""
    import matplotlib as mpl

    mpl.use("agg")
    parts, end = [], 0
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        for block, printed, figures in run_page(text):
            parts.append(text[end : block.end()])
            end = block.end()
            following = BLOCK.match(text, len(text) - len(text[end:].lstrip()))
            shown = following is not None and following["kind"] == "text"
            lines = printed.rstrip().splitlines()
            if lines and not shown:
                lines = [piece for line in lines for piece in fit(line)]
                cut = [*lines[: MOST_LINES - 1], "…"] if len(lines) > MOST_LINES else lines
                parts.append("\n\n```text\n" + "\n".join(cut) + "\n```\n")
            for number, figure in enumerate(figures[:2]):
                folder.mkdir(parents=True, exist_ok=True)
                target = folder / f"{name.replace('/', '-')}-{block.start()}-{number}.svg"
                target.write_bytes(figure.read_bytes())
                place_in_docs = target.relative_to(Path(__file__).parent).as_posix()
                parts.append(f"\n\n![Figure of the code above](/{place_in_docs})\n")
    return "".join(parts) + text[end:]
