"""scikit-learn's own checks of the descriptors that look at nearest neighbours."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from occstats_descriptors import ALP, LNND, LOF, NND

# These two count the training rows that are rejected as if they were new. A new row that equals a
# training row has it as a neighbour at distance 0, while the threshold is taken from the scores
# of training rows that are not their own neighbours (with NND and k = 1, the former are all 1).
EXPECTED_FAILURES = {
    "check_outliers_train": "a training row scored as a new one is its own neighbour",
    "check_outliers_fit_predict": "a training row scored as a new one is its own neighbour",
}


@parametrize_with_checks(
    [NND(), LNND(), LOF(), ALP()], expected_failed_checks=lambda estimator: EXPECTED_FAILURES
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
