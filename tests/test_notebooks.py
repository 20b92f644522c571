"""The notebooks run from top to bottom, give their committed outputs, and stay small."""

import json
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

FOLDER = Path(__file__).parents[1] / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
MAX_BYTES = 280_000


def read(name):
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def kinds(notebook):
    """Return the kinds of outputs of each cell, with their media types."""
    return [
        [(output.output_type, sorted(output.get("data", {}))) for output in cell.outputs]
        for cell in code(notebook)
    ]


def printed(notebook):
    """Return what cells print, but for the cell whose output depends on an installation of R."""
    return [
        output.text
        for cell in code(notebook)
        if "clusrank" not in cell.source
        for output in cell.outputs
        if "text" in output
    ]


def assert_tidy(notebook):
    """Check that no cell has two outputs of one kind, an error stream or an escape code."""
    for cell in code(notebook):
        found = [output.output_type for output in cell.outputs]
        assert len(set(found)) == len(found), cell.source
        assert set(found) <= {"execute_result", "display_data", "stream"}, cell.outputs
        assert {output.get("name", "stdout") for output in cell.outputs} <= {"stdout"}, cell.outputs
        assert "\\u001b" not in json.dumps(cell.outputs), cell.source


@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_committed_in_order_and_small(name):
    notebook = read(name)
    nbformat.validate(notebook)
    counts = [cell.execution_count for cell in code(notebook)]
    assert counts == list(range(1, len(counts) + 1))
    assert_tidy(notebook)
    assert (FOLDER / f"{name}.ipynb").stat().st_size < MAX_BYTES


# The garbage collector closes the sockets and the event loop of the kernel.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    "name", [name if name == "01_compare" else pytest.param(name, marks=pytest.mark.slow)
             for name in NAMES]
)  # fmt: skip
def test_a_notebook_gives_its_committed_outputs(name, tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    committed, notebook = read(name), read(name)
    work = tmp_path / "work"
    work.mkdir()
    nbclient.NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        coalesce_streams=True,  # a busy machine sends a text in parts
        resources={"metadata": {"path": str(work)}},
    ).execute()
    assert_tidy(notebook)
    assert printed(notebook) == printed(committed)
    assert kinds(notebook) == kinds(committed)
    assert list(work.iterdir()) == []
