"""What the project promises about itself: its files stay short, its guide is right."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [*ROOT.glob("occstats/**/*.py"), *ROOT.glob("descriptors/**/*.py")]
LONGEST_FILE = 400


@pytest.mark.parametrize("folder", ["occstats", "descriptors"])
def test_no_file_is_longer_than_one_reads(folder):
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines())
        for path in SOURCES
        if path.is_relative_to(ROOT / folder)
    }
    assert lengths
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE} == {}


def test_the_guide_names_files_that_exist():
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"`((?:occstats|descriptors|tests)/[\w/.-]*)`", guide)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []
