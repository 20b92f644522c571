"""Published tables are read rightly or refused, never wrongly."""

import os
from pathlib import Path

import pytest

from benchmarks.published_tables import TABLES, outcome

FOLDER = os.environ.get("OCCSTATS_REALWORLD")


@pytest.mark.skipif(FOLDER is None, reason="OCCSTATS_REALWORLD names no folder of tables")
@pytest.mark.parametrize(("files", "options", "right"), TABLES, ids=[t[0] for t in TABLES])
def test_tables_are_read_rightly_or_refused(files, options, right):
    assert outcome(Path(FOLDER), files, options) == right
