"""Heavy libraries are imported only when they are used."""

import subprocess
import sys

import pytest

HEAVY = {"scipy", "sklearn", "matplotlib", "seaborn", "statsmodels", "numba", "rpy2", "pyarrow",
         "rich", "jinja2", "joblib", "distributed"}  # fmt: skip


def imported(code):
    script = f"{code}\nimport sys\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stderr
    modules = done.stderr.split()
    return {name.partition(".")[0] for name in modules} | {*modules}


@pytest.mark.parametrize(
    "code",
    [
        "import occstats; dir(occstats)",
        "from occstats.cli import main\nmain(['--help'], standalone_mode=False)",
        "from occstats.cli import main\nmain(['compare', '--help'], standalone_mode=False)",
        "from occstats.comparison import Settings; Settings()",
    ],
)
def test_help_and_import_need_no_heavy_library(code):
    assert not imported(code) & (HEAVY | {"pandas", "numpy"})


def test_a_comparison_needs_no_compiler_and_no_plotting():
    code = (
        "from occstats.cli import main\n"
        "main(['compare', 'lenz2021', '--json', '--n-resamples', '100'], standalone_mode=False)"
    )
    names = imported(code)
    assert "scipy" in names
    assert not names & {"numba", "matplotlib", "seaborn", "sklearn", "rpy2", "scipy.stats"}


def test_a_small_run_needs_no_compiler_and_no_pool(tmp_path):
    assert not imported("import occstats.experiment.run") & (HEAVY - {"pyarrow"})
    options = ["run", "--datasets", "iris", "--descriptors", "NND", "-j", "1", "--out"]
    called = f"main({[*options, str(tmp_path / 'r')]}, standalone_mode=False)"
    names = imported(f"from occstats.cli import main\n{called}")
    assert "sklearn" in names
    assert not names & {"numba", "matplotlib", "seaborn", "statsmodels", "distributed"}


WITHOUT_DESCRIPTORS = """
import sys
sys.modules.update(dict.fromkeys(["sklearn", "numba", "cloudpickle"]))  # as if not installed
from importlib import util
found = util.find_spec
util.find_spec = lambda name, *rest: found(name, *rest) if sys.modules.get(name, 1) else None
from occstats.cli import main
"""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [("compare lenz2021 --n-resamples 100", 0), ("run --datasets iris --out unused", 2),
     ("tune --datasets iris --out unused", 2), ("time --out unused", 2)],
)  # fmt: skip
def test_a_comparison_needs_no_descriptors_and_others_say_what_to_install(
    arguments, code, tmp_path
):
    script = f"{WITHOUT_DESCRIPTORS}main({arguments.split()})"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, check=False, text=True, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert ("pip install 'occstats[descriptors]'" in done.stderr) == bool(code)
    assert "Traceback" not in done.stderr


def test_the_package_has_its_public_names():
    import occstats

    for name in occstats.__all__:
        assert getattr(occstats, name) is not None
    with pytest.raises(AttributeError, match="nothing_like_that"):
        _ = occstats.nothing_like_that
