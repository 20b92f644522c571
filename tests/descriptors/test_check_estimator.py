"""scikit-learn's own checks of the descriptors."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from occstats_descriptors import ALP, EIF, IF, LNND, LOF, MD, NND, SAE, SVM

# Two checks compare the number of rejected training rows with `contamination`, treating the rows as
# new ones. The threshold is from scores that exclude the row itself (its own neighbour, or its part
# in mean and covariance), so that the numbers differ.
REASON = "the threshold is from leave-one-out scores"
COUNTS = {"check_outliers_train": REASON, "check_outliers_fit_predict": REASON}
LEAVE_ONE_OUT = (NND, LNND, LOF, ALP, MD)


@parametrize_with_checks(
    [
        NND(), LNND(), LOF(), ALP(), MD(), SVM(), SVM(solver="native"), IF(n_trees=10),
        EIF(n_trees=10), SAE(max_epochs=20),
    ],
    expected_failed_checks=lambda each: COUNTS if isinstance(each, LEAVE_ONE_OUT) else {},
)  # fmt: skip
def test_scikit_learn_contract(estimator, check):
    check(estimator)
