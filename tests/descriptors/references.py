"""Formulas of the descriptors in plain NumPy and Python, row by row."""

import math
from itertools import pairwise

import numpy as np

EXPONENTS = {"manhattan": 1, "euclidean": 2}


def distances(Y, X, exponent=1.0):
    """Return all distances, summed in the order of the attributes."""
    total = np.zeros((len(Y), len(X)))
    for f in range(X.shape[1]):
        total += np.abs(Y[:, f][:, None] - X[:, f][None, :]) ** exponent
    return total ** (1 / exponent)


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


def nnd(Y, X, k, exponent=1.0, training=False):
    d, _ = neighbours(Y, X, k, exponent, training)
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


MASK = 2**64 - 1


class Stream:
    """std::mt19937_64 with the distributions of the GNU C++ library."""

    def __init__(self, seed):
        self.state = [seed]
        for i in range(1, 312):
            last = self.state[-1]
            self.state.append((6364136223846793005 * (last ^ (last >> 62)) + i) & MASK)
        self.position = 312

    def bits(self):
        if self.position == 312:
            for i in range(312):
                joined = (self.state[i] & 0xFFFFFFFF80000000) | (
                    self.state[(i + 1) % 312] & 0x7FFFFFFF
                )
                self.state[i] = self.state[(i + 156) % 312] ^ (joined >> 1)
                if joined & 1:
                    self.state[i] ^= 0xB5026F5AA96619E9
            self.position = 0
        x = self.state[self.position]
        self.position += 1
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71D67FFFEDA60000
        x ^= (x << 37) & 0xFFF7EEE000000000
        return x ^ (x >> 43)

    def uniform(self):
        return min(float(self.bits()) / 2.0**64, math.nextafter(1.0, 0.0))

    def below(self, bound):
        while True:
            product = self.bits() * bound
            if product & MASK >= (2**64 - bound) % bound:
                return product >> 64


def unpack(parameters, sizes):
    m, first, second, latent = sizes
    shapes = [(m, first), (first, second), (second, latent)]
    shapes += [(first,), (second,), (latent,), (second,), (first,), (m,)]
    parts, place = [], 0
    for shape in shapes:
        size = int(np.prod(shape))
        parts.append(parameters[place : place + size].reshape(shape))
        place += size
    assert place == len(parameters)
    return parts


def layers(parameters, rows, sizes):
    w1, w2, w3, b1, b2, b3, c3, c2, c1 = unpack(parameters, sizes)
    outputs = [rows]
    for weights, bias in [(w1, b1), (w2, b2), (w3, b3), (w3.T, c3), (w2.T, c2), (w1.T, c1)]:
        outputs.append(np.tanh(outputs[-1] @ weights + bias))
    return outputs


def sae_gradient(parameters, rows, sizes, shrinkage):
    w1, w2, w3 = unpack(parameters, sizes)[:3]
    outputs = layers(parameters, rows, sizes)
    weights = [w1, w2, w3, w3.T, w2.T, w1.T]
    by_weights, by_biases = [None] * 6, [None] * 6
    slope = 2 * (outputs[6] - rows) / rows.size
    for layer in range(5, -1, -1):
        slope = slope * (1 - outputs[layer + 1] ** 2)
        by_weights[layer] = outputs[layer].T @ slope
        by_biases[layer] = slope.sum(axis=0)
        slope = slope @ weights[layer].T
        if layer == 3:
            slope = slope + 2 * shrinkage * outputs[3] / outputs[3].size
    tied = [by_weights[i] + by_weights[5 - i].T for i in range(3)]
    return np.concatenate([part.ravel() for part in [*tied, *by_biases]])


def first_parameters(sizes, stream):
    count = sum(a * b for a, b in pairwise(sizes))
    count += 2 * (sizes[1] + sizes[2]) + sizes[3] + sizes[0]
    parameters, place = np.zeros(count), 0
    for inputs, outputs in pairwise(sizes):
        bound = np.sqrt(6 / (inputs + outputs))
        for _ in range(inputs * outputs):
            parameters[place] = bound * (2 * stream.uniform() - 1)
            place += 1
    return parameters


def trained_sae(training, sizes, seed, shrinkage, rate, batch, epochs):
    """Train without validation; return the parameters after the last epoch."""
    stream = Stream(seed)
    parameters = first_parameters(sizes, stream)
    squares, updates = np.zeros(len(parameters)), np.zeros(len(parameters))
    order = np.arange(len(training))
    for _ in range(epochs):
        for last in range(len(training) - 1, 0, -1):
            other = stream.below(last + 1)
            order[[last, other]] = order[[other, last]]
        for start in range(0, len(training), batch):
            g = sae_gradient(parameters, training[order[start : start + batch]], sizes, shrinkage)
            squares = 0.95 * squares + 0.05 * g**2
            update = g * np.sqrt(updates + 1e-7) / np.sqrt(squares + 1e-7)
            updates = 0.95 * updates + 0.05 * update**2
            parameters = parameters - rate * update
    return parameters
