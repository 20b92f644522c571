"""
The network of the shrink autoencoder: loss, gradient and training, compiled.

Five hidden layers, tanh everywhere, decoder weights tied to the encoder's. The parameters are one
flat vector: weights W1, W2, W3, biases of the encoder b1, b2, b3 and of the decoder c3, c2, c1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._jit import compiled
from occstats_descriptors._mersenne import STATE_SIZE, below, seeded, uniform

__all__ = ["initial_parameters", "loss_and_gradient", "parameter_count", "train", "work_size"]

Sizes = tuple[int, int, int, int]
"""Numbers of units: input, first and second hidden layer, latent layer."""
Array = NDArray[Any]


@compiled
def parameter_count(sizes: Sizes) -> int:
    """Count weights and biases."""
    m, first, second, latent = sizes
    weights = m * first + first * second + second * latent
    return weights + 2 * (first + second) + latent + m


@compiled
def work_size(sizes: Sizes, rows: int) -> int:
    """Count the numbers that one pass over `rows` rows keeps: activations and a product."""
    m, first, second, latent = sizes
    widest = max(m * first, first * second, second * latent)
    return 2 * rows * (m + 2 * first + 2 * second + latent) + widest


@compiled
def initial_parameters(sizes: Sizes, stream: NDArray[np.uint64], parameters: Array) -> None:
    """Draw weights uniformly in ±√(6 / (inputs + outputs)) of each layer; biases are zero."""
    parameters[:] = 0
    place = 0
    for layer in range(3):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        bound = np.sqrt(6.0 / (inputs + outputs))
        for _ in range(inputs * outputs):
            parameters[place] = bound * (2.0 * uniform(stream) - 1.0)
            place += 1


@compiled
def _tanh(values: Array) -> None:
    # The rational approximation of Eigen (and so of TensorFlow), exact to single precision; unlike
    # the library's function, it is vectorised by the compiler.
    flat = values.reshape(values.size)
    if values.itemsize == 8:
        for i in range(flat.size):
            flat[i] = np.tanh(flat[i])
        return
    for i in range(flat.size):
        x = min(max(flat[i], np.float32(-7.905311)), np.float32(7.905311))
        s = x * x
        p = s * np.float32(-2.76076847742355e-16) + np.float32(2.00018790482477e-13)
        p = s * p + np.float32(-8.60467152213735e-11)
        p = s * p + np.float32(5.12229709037114e-08)
        p = s * p + np.float32(1.48572235717979e-05)
        p = s * p + np.float32(6.37261928875436e-04)
        p = s * p + np.float32(4.89352455891786e-03)
        q = s * np.float32(1.19825839466702e-06) + np.float32(1.18534705686654e-04)
        q = s * q + np.float32(2.26843463243900e-03)
        q = s * q + np.float32(4.89352518554385e-03)
        flat[i] = x * p / q


@compiled
def _layer(inputs: Array, weights: Array, bias: Array, outputs: Array) -> None:
    np.dot(inputs, weights, outputs)
    for row in range(outputs.shape[0]):
        for unit in range(outputs.shape[1]):
            outputs[row, unit] += bias[unit]
    _tanh(outputs)


@compiled
def _through_tanh(slopes: Array, outputs: Array, bias_gradient: Array) -> None:
    """Turn slopes of the loss by a layer's outputs into those by its inputs to tanh."""
    bias_gradient[:] = 0
    for row in range(outputs.shape[0]):
        for unit in range(outputs.shape[1]):
            slopes[row, unit] *= 1 - outputs[row, unit] * outputs[row, unit]
            bias_gradient[unit] += slopes[row, unit]


@compiled
def loss_and_gradient(
    parameters: Array,
    rows: Array,
    sizes: Sizes,
    shrinkage: float,
    gradient: Array,
    work: Array,
    with_gradient: bool,
) -> Any:
    """
    Evaluate mean (x − r)² + shrinkage · mean z², and its gradient where asked for.

    Here r is the reconstruction and z the latent representation of a row x.
    """
    m, first, second, latent = sizes
    n = rows.shape[0]
    a1 = m * first
    a2 = a1 + first * second
    a3 = a2 + second * latent
    e1, e2, e3 = a3 + first, a3 + first + second, a3 + first + second + latent
    d3, d2 = e3 + second, e3 + second + first
    w1 = parameters[:a1].reshape((m, first))
    w2 = parameters[a1:a2].reshape((first, second))
    w3 = parameters[a2:a3].reshape((second, latent))

    o1 = n * first
    o2 = o1 + n * second
    o3 = o2 + n * latent
    o4 = o3 + n * second
    o5 = o4 + n * first
    o6 = o5 + n * m
    h1 = work[:o1].reshape((n, first))
    h2 = work[o1:o2].reshape((n, second))
    z = work[o2:o3].reshape((n, latent))
    r2 = work[o3:o4].reshape((n, second))
    r1 = work[o4:o5].reshape((n, first))
    r0 = work[o5:o6].reshape((n, m))
    _layer(rows, w1, parameters[a3:e1], h1)
    _layer(h1, w2, parameters[e1:e2], h2)
    _layer(h2, w3, parameters[e2:e3], z)
    _layer(z, w3.T, parameters[e3:d3], r2)
    _layer(r2, w2.T, parameters[d3:d2], r1)
    _layer(r1, w1.T, parameters[d2:], r0)

    s1 = work[o6 : o6 + o1].reshape((n, first))
    s2 = work[o6 + o1 : o6 + o2].reshape((n, second))
    s3 = work[o6 + o2 : o6 + o3].reshape((n, latent))
    t2 = work[o6 + o3 : o6 + o4].reshape((n, second))
    t1 = work[o6 + o4 : o6 + o5].reshape((n, first))
    t0 = work[o6 + o5 : 2 * o6].reshape((n, m))
    error = 0.0
    to_slope = work.dtype.type(2.0 / (n * m))
    for row in range(n):
        for unit in range(m):
            difference = r0[row, unit] - rows[row, unit]
            error += difference * difference
            t0[row, unit] = to_slope * difference
    size = 0.0
    for row in range(n):
        for unit in range(latent):
            size += z[row, unit] * z[row, unit]
    loss = error / (n * m) + shrinkage * size / (n * latent)
    if not with_gradient:
        return loss

    product = work[2 * o6 :]
    p1 = product[: m * first].reshape((m, first))
    p2 = product[: first * second].reshape((first, second))
    p3 = product[: second * latent].reshape((second, latent))
    g1 = gradient[:a1].reshape((m, first))
    g2 = gradient[a1:a2].reshape((first, second))
    g3 = gradient[a2:a3].reshape((second, latent))
    _through_tanh(t0, r0, gradient[d2:])
    np.dot(t0.T, r1, g1)
    np.dot(t0, w1, t1)
    _through_tanh(t1, r1, gradient[d3:d2])
    np.dot(t1.T, r2, g2)
    np.dot(t1, w2, t2)
    _through_tanh(t2, r2, gradient[e3:d3])
    np.dot(t2.T, z, g3)
    np.dot(t2, w3, s3)
    shrink_slope = work.dtype.type(2.0 * shrinkage / (n * latent))
    for row in range(n):
        for unit in range(latent):
            s3[row, unit] += shrink_slope * z[row, unit]
    _through_tanh(s3, z, gradient[e2:e3])
    np.dot(h2.T, s3, p3)
    g3 += p3
    np.dot(s3, w3.T, s2)
    _through_tanh(s2, h2, gradient[e1:e2])
    np.dot(h1.T, s2, p2)
    g2 += p2
    np.dot(s2, w2.T, s1)
    _through_tanh(s1, h1, gradient[a3:e1])
    np.dot(rows.T, s1, p1)
    g1 += p1
    return loss


@compiled
def _adadelta(
    parameters: Array, gradient: Array, squares: Array, updates: Array, rate: float
) -> None:
    real = parameters.dtype.type
    decay, rest, epsilon, rate = real(0.95), real(0.05), real(1e-7), real(rate)
    for i in range(len(parameters)):
        slope = gradient[i]
        squares[i] = decay * squares[i] + rest * slope * slope
        update = slope * np.sqrt((updates[i] + epsilon) / (squares[i] + epsilon))
        updates[i] = decay * updates[i] + rest * update * update
        parameters[i] -= rate * update


@compiled
def train(
    training: NDArray[np.float32],
    validation: NDArray[np.float32],
    sizes: Sizes,
    seed: int,
    shrinkage: float,
    rate: float,
    batch: int,
    epochs: int,
    check_every: int,
    patience: int,
    least_gain: float,
    parameters: NDArray[np.float32],
) -> tuple[int, float]:
    """Train in place; return the epochs taken and the last validation loss."""
    stream = np.empty(STATE_SIZE, np.uint64)
    seeded(stream, seed)
    initial_parameters(sizes, stream, parameters)
    n = len(training)
    count = len(parameters)
    gradient = np.empty(count, np.float32)
    squares, updates = np.zeros(count, np.float32), np.zeros(count, np.float32)
    work = np.empty(work_size(sizes, max(batch, len(validation))), np.float32)
    rows = np.empty((batch, sizes[0]), np.float32)
    order = np.arange(n)
    best, waited, loss = np.inf, 0, np.nan
    learning = batch > 0  # no constant: for each, the function would be compiled again
    for epoch in range(1, epochs + 1):
        for last in range(n - 1, 0, -1):
            other = below(stream, last + 1)
            order[last], order[other] = order[other], order[last]
        for start in range(0, n, batch):
            end = min(start + batch, n)
            for i in range(start, end):
                for unit in range(sizes[0]):
                    rows[i - start, unit] = training[order[i], unit]
            loss_and_gradient(
                parameters, rows[: end - start], sizes, shrinkage, gradient, work, learning
            )
            _adadelta(parameters, gradient, squares, updates, rate)
        if epoch % check_every == 0:
            loss = loss_and_gradient(
                parameters, validation, sizes, shrinkage, gradient, work, not learning
            )
            waited += 1
            if loss + least_gain < best:
                best, waited = loss, 0
            elif waited >= patience:
                return epoch, loss
    return epochs, loss
