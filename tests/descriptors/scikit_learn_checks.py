"""scikit-learn's own checks of an estimator, as one call that says what failed."""

from sklearn.utils.estimator_checks import check_estimator


def failures(estimator, expected=None):
    """Names and messages of the failed checks that were not expected to fail."""
    results = check_estimator(
        estimator, expected_failed_checks=expected or {}, on_skip=None, on_fail=None
    )
    assert len(results) > 40
    return [(r["check_name"], str(r["exception"])) for r in results if r["status"] == "failed"]
