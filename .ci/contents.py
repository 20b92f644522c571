"""List files that a wheel or an sdist should not contain, and files that it lacks.

usage: python .ci/contents.py dist/*
"""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def tracked() -> set[str]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


def in_wheel(path: str) -> str | None:
    """Return the path in the wheel of a file of the project, or None."""
    if path.startswith("occstats/"):
        return path
    if path.startswith("descriptors/occstats_descriptors/"):
        return path.removeprefix("descriptors/")
    return f"occstats/{path}" if path in ("R/clusrank_bridge.R", "R/install.R") else None


def names(archive: Path) -> set[str]:
    """Return the files of an archive, except those that the build adds."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as file:
            found = file.namelist()
        return {name for name in found if not name.split("/")[0].endswith(".dist-info")}
    with tarfile.open(archive) as file:
        found = [member.name.split("/", 1)[1] for member in file.getmembers()]
    return set(found) - {"PKG-INFO"}


def main(archives: list[str]) -> None:
    wrong = False
    for archive in map(Path, archives):
        expected = tracked()
        if archive.suffix == ".whl":
            expected = {place for path in expected if (place := in_wheel(path))}
        found = names(archive)
        print(f"{archive.name}: {len(found)} files, {archive.stat().st_size // 1024} KiB")
        for what, which in (("stray", found - expected), ("missing", expected - found)):
            wrong |= bool(which)
            print("".join(f"  {what}: {name}\n" for name in sorted(which)), end="")
    sys.exit(wrong)


if __name__ == "__main__":
    main(sys.argv[1:])
