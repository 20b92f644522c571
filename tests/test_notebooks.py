"""The notebooks run from top to bottom, say what their committed outputs say, and stay small."""

import json
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

FOLDER = Path(__file__).parents[1] / "notebooks"
NAMES = ["01_compare", "02_descriptors", "03_experiment", "04_paper"]
LARGEST = 240_000


def read(name):
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def printed(notebook):
    return [
        output.text
        for cell in code(notebook)
        for output in cell.outputs
        if output.output_type == "stream" and output.name == "stdout"
    ]


@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_committed_in_order_and_small(name):
    notebook = read(name)
    nbformat.validate(notebook)
    assert [cell.execution_count for cell in code(notebook)] == list(
        range(1, len(code(notebook)) + 1)
    )
    kinds = {output.output_type for cell in code(notebook) for output in cell.outputs}
    assert kinds <= {"execute_result", "display_data", "stream"}
    streams = {o.get("name") for cell in code(notebook) for o in cell.outputs} - {None}
    assert streams <= {"stdout"}
    assert (FOLDER / f"{name}.ipynb").stat().st_size < LARGEST


def stray_outputs(notebook):
    """Cells with several outputs of one kind, or with an escape code."""
    found = []
    for cell in code(notebook):
        kinds = [output.output_type for output in cell.outputs]
        if max(map(kinds.count, kinds), default=0) > 1 or "\\u001b" in json.dumps(cell.outputs):
            found.append(cell.source)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_cell_has_one_output_and_no_escape_code(name):
    assert stray_outputs(read(name)) == []


def test_a_comparison_is_one_output_in_a_notebook(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    compared = "occstats.compare('lenz2021', algorithms=['ALP', 'SVM', 'NND'], n_resamples=100)"
    sources = [f"import occstats\ncomparison = {compared}\ncomparison", "print(comparison)"]
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    shown, printed = (cell.outputs for cell in notebook.cells)
    assert [output.output_type for output in shown] == ["execute_result"]
    assert set(shown[0].data) == {"text/html", "text/plain"}
    assert [output.output_type for output in printed] == ["stream"]
    assert "mean rank" in printed[0].text
    assert stray_outputs(notebook) == []


def test_every_notebook_is_tested():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == NAMES


@pytest.mark.slow
# The kernel's sockets and event loop are closed by the garbage collector, which is not ours.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", NAMES)
def test_notebook_runs_and_says_the_same(name, tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    committed, notebook = read(name), read(name)
    work = tmp_path / "work"
    work.mkdir()
    client = nbclient.NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(work)}},
    )
    client.execute()
    for cell in code(notebook):
        for output in cell.outputs:
            assert output.get("name") != "stderr", output.text
    assert stray_outputs(notebook) == []
    assert printed(notebook) == printed(committed)
    assert list(work.iterdir()) == []
    rich = {
        kind
        for cell in code(notebook)
        for output in cell.outputs
        for kind in output.get("data", {})
    }
    assert {"text/html", "text/plain"} <= rich


def test_objects_show_as_rich_html():
    import occstats
    from occstats.stats import clustered_wilcoxon

    results = occstats.load_results("lenz2021").select(["ALP", "SVM"])
    comparison = occstats.compare(results, n_resamples=100)
    difference = results.scores["ALP"] - results.scores["SVM"]
    found = clustered_wilcoxon(difference, results.clusters)
    for shown, words in (
        (results, "246 tasks"),
        (comparison, "mean rank"),
        (found, f"{found.pvalue:.6g}"),
        (comparison.plot.kendall(), 'alt="'),
    ):
        assert words in shown._repr_html_()
