"""Run notebooks in place and keep their outputs small.

usage: python notebooks/run.py [NAME ...]    (such as 01_compare; default: all)
"""

import base64
import io
import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat
from PIL import Image

HERE = Path(__file__).parent
COLOURS = 48


def shrink(png: str) -> str:
    """Reduce a PNG to few colours."""
    image = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB").quantize(COLOURS)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def main(names: list[str]) -> None:
    for path in [HERE / f"{name}.ipynb" for name in names] or sorted(HERE.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            nbclient.NotebookClient(
                notebook,
                timeout=600,
                kernel_name="python3",
                coalesce_streams=True,
                resources={"metadata": {"path": folder}},
            ).execute()
        for cell in notebook.cells:
            cell.metadata = {}
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if "image/png" in data:
                    data["image/png"] = shrink(data["image/png"])
        nbformat.write(notebook, path)
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main(sys.argv[1:])
