"""Functions that break the process that calls them; without imports that take long."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path


def call(name, *arguments):
    """Call a function of this module."""
    return int(*arguments) if name == "int" else globals()[name](*arguments)


def fork_and_crash(file):
    """Leave a process that holds all connections of this one."""
    spawn(file)
    child = os.fork()
    if not child:
        time.sleep(3600)
    signal.raise_signal(signal.SIGSEGV)


def spawn(file):
    """Start a process that outlives the call, and write its number."""
    Path(file).write_text(str(subprocess.Popen(["sleep", "3600"]).pid))


def write_to_all_files():
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"\x00\x00\x00\x05hello")


def close_all_files():
    os.closerange(0, 256)


def lower_limits():
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    raise Unprintable


def clear_modules():
    sys.path.clear()
    sys.modules.clear()
    raise Unprintable


def take_two_gigabytes():
    assert bytearray(2_000_000_000)


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no")

    def __reduce__(self):
        raise TypeError


def raise_unprintable():
    raise Unprintable


def warn_often(n):
    for number in range(n):
        warnings.warn(f"warning {number}", stacklevel=1)
    return "done"


def hold_the_interpreter(file):
    """Never return to Python, where another thread could end the process."""
    Path(file).write_text(str(os.getpid()))
    re.match(r"(a+)+$", "a" * 60 + "b")
