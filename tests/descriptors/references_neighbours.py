"""Neighbours and the descriptors made of them in plain NumPy: the formulas, row by row."""

import numpy as np

EXPONENTS = {"manhattan": 1, "euclidean": 2, "minkowski": 3}


def distances(Y, X, exponent=1.0):
    """Return all distances, summed in the order of the attributes."""
    total = np.zeros((len(Y), len(X)))
    for f in range(X.shape[1]):
        difference = np.abs(Y[:, f][:, None] - X[:, f][None, :])
        if np.isinf(exponent):
            total = np.maximum(total, difference)
        else:
            total += difference**exponent
    return total if np.isinf(exponent) else total ** (1 / exponent)


def neighbours(Y, X, k, exponent=1.0, training=False):
    """Return the k nearest by (distance, index), a training row without itself."""
    every = distances(Y, X, exponent)
    found_d, found_i = np.empty((len(Y), k)), np.empty((len(Y), k), dtype=int)
    for row in range(len(Y)):
        candidates = [(d, i) for i, d in enumerate(every[row]) if not (training and i == row)]
        nearest = sorted(candidates)[:k]
        found_d[row] = [d for d, _ in nearest]
        found_i[row] = [i for _, i in nearest]
    return found_d, found_i


def fraction(numerator, denominator):
    """Return a localised distance; 0/0 counts as 1."""
    if denominator == 0:
        return 1.0 if numerator == 0 else np.inf
    return numerator / denominator


def nnd(Y, X, k, exponent=1.0):
    d, _ = neighbours(Y, X, k, exponent)
    return 1 / (1 + d[:, k - 1])


def lnnd(Y, X, k, exponent=1.0, training=False):
    d, i = neighbours(Y, X, k, exponent, training)
    own, _ = neighbours(X, X, k, exponent, training=True)
    localised = [fraction(d[row, -1], own[i[row, -1], -1]) for row in range(len(Y))]
    return np.array([1 / (1 + z) for z in localised])


def lof(Y, X, k, exponent=1.0, training=False):
    own_d, own_i = neighbours(X, X, k, exponent, training=True)

    def mean_reachability(d, i):
        return sum(max(d[j], own_d[i[j], -1]) for j in range(k)) / k

    own = [mean_reachability(own_d[x], own_i[x]) for x in range(len(X))]
    d, i = neighbours(Y, X, k, exponent, training)
    scores = []
    for row in range(len(Y)):
        here = mean_reachability(d[row], i[row])
        factor = sum(fraction(here, own[j]) for j in i[row]) / k
        scores.append(1 / (1 + factor))
    return np.array(scores)


def alp(Y, X, k, l, weights=None, local_weights=None, exponent=1.0, training=False):  # noqa: E741
    linear = lambda p: [(p - i) / (p * (p + 1) / 2) for i in range(p)]  # noqa: E731
    weights = linear(k) if weights is None else weights
    local_weights = linear(l) if local_weights is None else local_weights
    own, _ = neighbours(X, X, k, exponent, training=True)
    if training and l == len(X):  # no row is its own neighbour: the other weights are scaled
        l -= 1  # noqa: E741
        local_weights = [weight / sum(local_weights[:l]) for weight in local_weights[:l]]
    d, i = neighbours(Y, X, max(k, l), exponent, training)
    scores = []
    for row in range(len(Y)):
        proximities = []
        for scale in range(k):
            local = sum(local_weights[j] * own[i[row, j], scale] for j in range(l))
            proximities.append(1 / (1 + fraction(d[row, scale], local)))
        ordered = sorted(proximities, reverse=True)
        scores.append(sum(w * p for w, p in zip(weights, ordered, strict=True)))
    return np.array(scores)
