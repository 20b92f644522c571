"""The published scores of Lenz, Peralta and Cornelis (2021)."""

from pathlib import Path

import pandas as pd

REFERENCE = Path(__file__).parents[1] / "reference"
ALGORITHMS = ["NND", "LNND", "LOF", "MD", "SVM", "IF", "EIF", "SAE", "ALP"]
TABLE = pd.read_csv(REFERENCE / "auroc.csv", keep_default_na=False)
SCORES, DATASETS = TABLE[ALGORITHMS].to_numpy(), TABLE["dataset"].to_numpy()
