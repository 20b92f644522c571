"""Scores of 0 and 1 in a comparison: the table and the line to quote."""

import numpy as np
import pandas as pd
import pytest

from occstats.stats import clustered_mcnemar
from tests.comparison.synthetic import compare


def answers(seed=1, models=("small", "large", "huge")):
    rng = np.random.default_rng(seed)
    rows = []
    for passage in range(25):
        hardness = rng.normal()
        for question in range(rng.integers(2, 7)):
            for skill, model in enumerate(models):
                rows.append(
                    (f"p{passage}", f"q{question}", model, int(rng.normal() < skill - hardness))
                )
    return pd.DataFrame(rows, columns=["dataset", "class", "descriptor", "correct"])


@pytest.fixture(scope="module")
def comparison():
    return compare(answers(), score="correct")


def test_the_table_is_that_of_the_statistics(comparison):
    frame = comparison.binary
    results = comparison.results
    found = clustered_mcnemar(results.scores.to_numpy(float), results.clusters)
    pd.testing.assert_frame_equal(frame[[*found]], found)
    assert frame.iloc[0][["a", "b"]].tolist() == results.algorithms[:2]
    assert comparison.to_dict()["binary"][0]["line"] == frame["line"].iloc[0]
    for column in frame.columns[2:]:
        assert comparison.explain(column), column


def test_the_line_to_quote(comparison):
    line = comparison.binary["line"].iloc[0]
    row = comparison.binary.iloc[0]
    expected = f"{row['a']} − {row['b']}: {row['share_difference']:+.3f} correct (clustered SE "
    assert line.startswith(expected + f"{row['standard_error']:.3f}; 95 % CI ")
    for words in ("Obuchowski's p", "design effect", "detectable ±", "tasks in 25 datasets"):
        assert words in line
    # A comparison has one p-value of a pair; these are in the table only.
    assert not any("Obuchowski" in text for text in (*comparison.notes, comparison.verdict))


def test_means_are_compared_unless_the_estimand_is_typical(comparison):
    assert comparison.settings.estimand == "mean"
    typical = compare(answers(), score="correct", estimand="typical")
    assert typical.settings.null == "flips"
    row = typical.pairwise.iloc[0]
    # With two values, a typical difference of 0 says little: wins and losses are counted.
    scores = typical.results.scores
    ahead = (scores[row["a"]] - scores[row["b"]]).to_numpy()
    counted = [int((np.sign(ahead) == sign).sum()) for sign in (1, 0, -1)]
    assert row[["wins", "ties", "losses"]].tolist() == counted


def test_other_scores_have_no_such_table():
    frame = answers().assign(correct=lambda frame: frame["correct"] * 0.5)
    assert compare(frame, score="correct").binary is None
