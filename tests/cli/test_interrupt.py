"""Ctrl-C pressed three times prints no traceback; for workers see tests/experiment."""

import os
import signal
import subprocess
import sys
import time

import pytest

# Works until it is interrupted, and again while it cleans up.
SLOW = """
import time
from pathlib import Path
def work(*sources, **settings):
    Path("ready").touch()
    try:
        time.sleep(600)
    finally:
        time.sleep(0.2)
"""
COMPARE = "from occstats.cli import main; main(['compare', 'lenz2021'])"


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
@pytest.mark.parametrize(
    ("file", "code", "expected"),
    [
        # A module that takes long to import.
        ("click.py", COMPARE, (-signal.SIGINT, "")),
        (
            "slow.py",
            f"import slow, occstats.comparison.pipeline as p; p.compare = slow.work; {COMPARE}",
            (130, "Interrupted."),
        ),
    ],
    ids=["import", "computation"],
)
def test_three_interrupts_print_no_traceback(tmp_path, file, code, expected):
    (tmp_path / file).write_text(SLOW + "work()\n" * (file == "click.py"))
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, text=True, stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
    )  # fmt: skip
    while not (tmp_path / "ready").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    _, printed = process.communicate()
    assert (process.returncode, printed.strip()) == expected
