"""Mahalanobis distance, row by row."""

import numpy as np


def scores(training, rows):
    mean = training.mean(axis=0)
    centred = training - mean
    covariance = sum(np.outer(d, d) for d in centred) / len(training)
    inverse = np.linalg.pinv(covariance, hermitian=True)
    return np.array([1 / (1 + np.sqrt(max((y - mean) @ inverse @ (y - mean), 0))) for y in rows])


def leave_one_out(training):
    return np.array(
        [
            scores(np.delete(training, i, axis=0), training[i : i + 1])[0]
            for i in range(len(training))
        ]
    )
