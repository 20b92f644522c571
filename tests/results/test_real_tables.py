"""Published tables: read at the first try, or at the second by typing what the refusal says.

They are not part of the package; the folder that holds them is named by OCCSTATS_REALWORLD.
"""

import os
from pathlib import Path

import pytest

from tests.results.pasting import pasted

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


@pytest.mark.parametrize("name", EXPECTED)
def test_published_tables(name):
    algorithms, tasks, clusters, direction, one, tries = EXPECTED[name]
    table, line = pasted(Path(FOLDER) / name)
    assert (1 if line == f"occstats compare {name}" else 2) == tries
    assert len(table.algorithms) == algorithms
    assert (table.n_tasks, table.n_clusters) == (tasks, clusters)
    assert table.higher_is_better is (direction == "higher")
    assert one in table.algorithms


def test_every_expected_table_is_in_the_folder():
    assert set(EXPECTED) <= {path.name for path in Path(FOLDER).iterdir()}
