"""The shrink autoencoder in plain NumPy: loss, gradient by the chain rule, Adadelta."""

from itertools import pairwise

import numpy as np

from tests.descriptors.references_forest import Stream


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


def loss(parameters, rows, sizes, shrinkage):
    outputs = layers(parameters, rows, sizes)
    return ((outputs[6] - rows) ** 2).mean() + shrinkage * (outputs[3] ** 2).mean()


def gradient(parameters, rows, sizes, shrinkage):
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


def train(training, sizes, seed, shrinkage, rate, batch, epochs):
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
            g = gradient(parameters, training[order[start : start + batch]], sizes, shrinkage)
            squares = 0.95 * squares + 0.05 * g**2
            update = g * np.sqrt(updates + 1e-7) / np.sqrt(squares + 1e-7)
            updates = 0.95 * updates + 0.05 * update**2
            parameters = parameters - rate * update
    return parameters
