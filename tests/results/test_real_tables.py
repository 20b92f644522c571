"""Published tables: read at the first try, or at the second by typing what the refusal says.

They are not part of the package; the folder that holds them is named by OCCSTATS_REALWORLD.
"""

import os
import shlex
from pathlib import Path

import pytest

from occstats.cli.compare import command
from occstats.cli.group import _advice
from occstats.cli.options import take_reading
from occstats.errors import ResultsError
from occstats.results import load_results

FOLDER = os.environ.get("OCCSTATS_REALWORLD")
pytestmark = pytest.mark.skipif(
    FOLDER is None, reason="needs the published tables in the folder of OCCSTATS_REALWORLD"
)

# file → algorithms, tasks, data sets, direction, what one of the algorithms is, and at which try
EXPECTED = {
    "adbench_AUCROC_multiindex.csv": (15, 28, 28, "higher", "IForest", 2),
    "amlb_1h_all_results.csv": (7, 35, 35, "higher", "autosklearn", 2),
    "amlb_folds_leaderboard.csv": (7, 35, 35, "lower", "tpot", 2),
    "asr_en_shortform.csv": (87, 8, 8, "lower", "zoom/scribe_v1", 1),
    "cd_diagram_example.csv": (5, 15, 15, "higher", "clf3", 1),
    "critdd_2d_example.csv": (5, 17, 17, "lower", "clf1", 2),
    "dl4tsc_results-uea.csv": (9, 85, 85, "higher", "resnet", 2),
    "dl4tsc_uea-avg-std.csv": (9, 85, 85, "higher", "Time-CNN", 1),
    "dopamine_breakout.json": (6, 1, 1, "higher", "DQN", 2),
    "mteb_en_classification.jsonl": (312, 12, 12, "higher", "NV-Embed-v2", 2),
    "pyod_adbench_aucroc_unsup.csv": (14, 57, 57, "higher", "DAGMM", 2),
    "pyod_bond_ap.csv": (14, 9, 9, "higher", "DOMINANT", 2),
    "pyod_roc.csv": (10, 17, 17, "higher", "ABOD", 1),
    "qpbenchmark_results.csv": (14, 138, 138, "lower", "osqp", 2),
    "srbench_blackbox.csv": (21, 122, 122, "higher", "*AFP", 2),
    "tsbuad_AUC_ROC.csv": (12, 1886, 18, "higher", "NORMA", 2),
    "tsml_HC2_accuracy.csv": (3, 142, 142, "higher", "HC2", 2),
    "tsml_MR-Hydra_accuracy.csv": (3, 142, 142, "higher", "HC2", 2),
    "tsml_QUANT_accuracy.csv": (3, 142, 142, "higher", "HC2", 2),
}


def typed(line):
    """Load as the command line would; None and the message if that is refused."""
    program, name, *arguments = shlex.split(line)
    assert (program, name) == ("occstats", "compare")
    missing = "refuse"
    if "--missing" in arguments:
        at = arguments.index("--missing")
        missing = arguments[at + 1]
        del arguments[at : at + 2]
    with command.make_context("compare", list(arguments), resilient_parsing=True) as context:
        options = dict(context.params)
    reading = take_reading(options)
    try:
        table = load_results(*options["results"], **reading)
        table.resolve_missing(missing)
    except ResultsError as error:
        return None, _advice(error, ["compare", *arguments])
    return table, ""


@pytest.mark.parametrize("name", EXPECTED)
def test_published_tables(name):
    algorithms, tasks, clusters, direction, one, tries = EXPECTED[name]
    line = f"occstats compare {shlex.quote(str(Path(FOLDER) / name))}"
    table, message = typed(line)
    taken = 1
    if table is None:
        taken = 2
        assert "\n" not in message
        table, again = typed(message.split("; type: ", 1)[1])
        assert table is not None, again
    assert taken == tries
    assert len(table.algorithms) == algorithms
    assert (table.n_tasks, table.n_clusters) == (tasks, clusters)
    assert table.higher_is_better is (direction == "higher")
    assert one in table.algorithms


def test_every_table_of_the_folder_is_expected():
    endings = {".csv", ".json", ".jsonl", ".parquet"}
    names = {path.name for path in Path(FOLDER).iterdir() if path.suffix in endings}
    assert names - {"MANIFEST.csv"} == set(EXPECTED)
