"""The output folder: complete, or as it was before."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from occstats.errors import OutputError
from occstats.names import printable

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = ["check_target", "write", "write_files"]


REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "a file grew beyond what the system allows",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EROFS: "the file system is read-only",
    errno.ENAMETOOLONG: "the name is too long",
}


def write(comparison: Comparison, folder: str | os.PathLike[str]) -> Path:
    """Write every form of the comparison to the folder.

    ``report.html``, one self-contained page; ``report.md`` with verdict, methods and tables;
    ``comparison.json``; ``methods.tex`` with ``references.bib``; ``tables/`` with each table as
    CSV, Markdown and LaTeX; ``paper/`` with those of a paper, decimals in line by siunitx.

    Returns
    -------
    pathlib.Path
        The folder.
    """
    return write_files(folder, contents(comparison))


def contents(comparison: Comparison) -> Iterator[tuple[str, str | bytes]]:
    """Path inside the folder and content of each file; no path is made from a name in the data."""
    from occstats.report.csv import table_to_csv
    from occstats.report.html import render
    from occstats.report.latex import methods_to_latex, table_to_latex
    from occstats.report.markdown import comparison_to_markdown, table_to_markdown
    from occstats.report.paper_tables import paper_files
    from occstats.report.tables import all_tables

    tables = all_tables(comparison)
    yield "comparison.json", comparison.to_json(indent=1) + "\n"
    yield "report.md", comparison_to_markdown(comparison, tables)
    yield "methods.tex", methods_to_latex(comparison.methods_text)
    yield "references.bib", comparison.methods_text.bibtex()
    for table in tables:
        yield f"tables/{table.name}.csv", table_to_csv(table)
        yield f"tables/{table.name}.md", table_to_markdown(table)
        yield f"tables/{table.name}.tex", table_to_latex(table)
    yield from paper_files(comparison)
    yield "report.html", render(comparison)


def check_target(folder: str | os.PathLike[str]) -> Path:
    """Refuse early what cannot become the output folder, before anything is computed."""
    path = Path(folder)
    try:
        # Asks the system whether such a name can be at all, without making anything.
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:
        reason = REASONS.get(getattr(error, "errno", None) or 0, str(error))
        raise OutputError(f"{_shown(path)} cannot be an output folder: {reason}") from error
    if path.exists() and not path.is_dir():
        raise OutputError(f"{_shown(path)} is a file; --out needs a folder: choose another name")
    above = next(parent for parent in [path, *path.absolute().parents] if parent.exists())
    if not above.is_dir():
        raise OutputError(f"{_shown(above)} is a file, so nothing can be written below it")
    if not os.access(above, os.W_OK | os.X_OK):
        raise OutputError(f"{_shown(above)} is not writable: choose another output folder")
    return path


def write_files(folder: str | os.PathLike[str], files: Iterator[tuple[str, str | bytes]]) -> Path:
    """Write all files beside their places, then move each into place.

    Whatever fails before the first move (a full disk, an interrupt) leaves the folder as it was;
    a move itself is atomic, so no file is ever half old and half new.
    """
    path = check_target(folder)
    with _readable_errors(path):
        existed = path.is_dir()
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path if existed else path.parent
        staging = Path(tempfile.mkdtemp(prefix=".occstats-", dir=beside))
        try:
            for name, content in files:
                _write_durably(staging / name, content)
            if existed:
                _move_over(staging, path)
            else:
                staging.chmod(0o777 & ~_umask())
                staging.rename(path)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return path


def _write_durably(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    with path.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _move_over(staging: Path, folder: Path) -> None:
    files = sorted(path for path in staging.rglob("*") if path.is_file())
    targets = [folder / path.relative_to(staging) for path in files]
    for target in targets:
        target.parent.mkdir(exist_ok=True)
        if target.is_dir():
            raise OutputError(f"{_shown(target)} is a folder where a file belongs: move it away")
    for source, target in zip(files, targets, strict=True):
        source.replace(target)


@contextmanager
def _readable_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        reason = REASONS.get(error.errno or 0, error.strerror or str(error))
        raise OutputError(
            f"cannot write to {_shown(path)}: {reason}; what was there before is untouched"
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _shown(path: str | os.PathLike[str]) -> str:
    return f"'{printable(os.fspath(path))}'"
