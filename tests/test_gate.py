"""The gate: one line and one exit code for a candidate beside a baseline."""

import numpy as np
import pytest
from click.testing import CliRunner

import occstats
from occstats.cli import main
from occstats.comparison.gate import judge


@pytest.mark.parametrize(
    ("candidate", "baseline", "options", "outcome", "code"),
    [
        ("ALP", "SAE", (), "superior", 0),
        ("SVM", "ALP", ("--margin", "0.05"), "non-inferior", 0),
        ("SVM", "ALP", (), "inconclusive", 3),
        ("SAE", "ALP", ("--margin", "0.01"), "inferior", 4),
    ],
)
def test_exit_codes(candidate, baseline, options, outcome, code):
    arguments = ["gate", "lenz2021", "--candidate", candidate, "--baseline", baseline, *options]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == code
    assert result.stdout.startswith(f"**{outcome}**: {candidate} beside {baseline}: ")
    assert result.stdout.count("\n") == 1


def test_the_line_has_the_clustered_standard_error():
    found = occstats.compare("lenz2021", algorithms=["ALP", "SAE"], n_resamples=200)
    scores = found.results.scores
    means = (scores["ALP"] - scores["SAE"]).groupby(level=0).mean()
    error = means.std(ddof=1) / np.sqrt(len(means))
    assert f"+{means.mean():.3g} AUROC (SE {error:.3g};" in judge(found, "ALP", "SAE").line
