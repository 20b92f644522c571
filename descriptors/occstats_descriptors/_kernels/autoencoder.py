"""
Network of the shrink autoencoder: loss, gradient and training.

Five hidden layers, tanh everywhere, decoder weights tied to the encoder's. All numbers are in flat
vectors of matrices whose rows are padded with zeros to a multiple of `LANES`. The parameters are
the weights W1, W2, W3, then the biases of the six layers; the rows of a level (0 is the input, 3
the latent layer, 6 the reconstruction) follow those of the level before.

Benefit: on the small datasets of the paper, training is 4 to 5 times as fast as with BLAS, whose
calls take longer than such small products, and hundreds of times as fast as with torch. Sums are in
a fixed order, without fused operations, so that the results do not depend on the processor.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numpy.typing import NDArray

from occstats_descriptors._kernels import Array, Single
from occstats_descriptors._kernels.jit import cgutils, compiled, intrinsic
from occstats_descriptors._kernels.mersenne_twister import STATE_SIZE, below, seeded, uniform

__all__ = ["encoder", "evaluate", "parameter_count", "train"]

# Columns and rows that a product computes together: registers of AVX-512, or twice those of AVX2.
LANES, ROWS = 16, 4
# Numbers of units: input, first and second hidden layer, latent layer.
Sizes = tuple[int, int, int, int]


@compiled
def padded(units: int) -> int:
    """Return the length of a row of `units` numbers."""
    return (units + LANES - 1) // LANES * LANES


@compiled
def _padded_rows(n: int) -> int:
    """Return the number of rows of a matrix of `n` rows."""
    return (n + ROWS - 1) // ROWS * ROWS


@compiled
def _matrix(rows: int, columns: int) -> int:
    """Return the size of a matrix."""
    return _padded_rows(rows) * padded(columns)


@compiled
def _units(sizes: Sizes, level: int) -> int:
    return sizes[3 - abs(3 - level)]


@compiled
def _weight_count(sizes: Sizes) -> int:
    m, first, second, latent = sizes
    return _matrix(m, first) + _matrix(first, second) + _matrix(second, latent)


@compiled
def _level_width(sizes: Sizes) -> int:
    """Return the length of one row of all levels."""
    m, first, second, latent = sizes
    return 2 * (padded(m) + padded(first) + padded(second)) + padded(latent)


@compiled
def parameter_count(sizes: Sizes) -> int:
    """Return the number of weights and biases, with padding."""
    return _weight_count(sizes) + _level_width(sizes) - padded(sizes[0])


@compiled
def _matrix_count(sizes: Sizes) -> int:
    """Return the number of weights of the six layers and of a row of zeros, with padding."""
    m, first, second, latent = sizes
    mirrored = _matrix(first, m) + _matrix(second, first) + _matrix(latent, second)
    return _weight_count(sizes) + mirrored + padded(max(sizes))


@compiled
def _initialise(sizes: Sizes, stream: NDArray[np.uint64], parameters: Array) -> None:
    """Draw weights uniformly from ±√(6 / (inputs + outputs)) of each layer; biases are zero."""
    for i in range(len(parameters)):
        parameters[i] = 0
    place = 0
    for layer in range(3):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        bound = np.sqrt(6.0 / (inputs + outputs))
        for i in range(inputs):
            for unit in range(outputs):
                weight = bound * (2.0 * uniform(stream) - 1.0)
                parameters[place + i * padded(outputs) + unit] = weight
        place += _matrix(inputs, outputs)


@intrinsic
def _tile(
    typing_context: Any,
    a: Any,
    a_first: Any,
    a_row: Any,
    a_term: Any,
    b: Any,
    b_first: Any,
    b_row: Any,
    s: Any,
    s_first: Any,
    s_row: Any,
    c: Any,
    c_first: Any,
    c_row: Any,
    terms: Any,
) -> Any:
    """
    Compute `LANES` columns of `ROWS` rows of C = S + A B.

    Each of the arrays a, b, s and c is followed by the position of its first number and by its step
    from row to row, for a also from term to term. The function is written in the compiler's vector
    types, because the compiler does not keep the sums in registers by itself.
    """
    kinds = (a, a_first, a_row, a_term, b, b_first, b_row, s, s_first, s_row, c, c_first, c_row)

    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        vector = ir.VectorType(context.get_value_type(a.dtype), LANES)
        align = a.dtype.bitwidth // 8

        def pointer(array: int, *steps: tuple[Any, Any]) -> Any:
            position = values[array + 1]
            for number, step in steps:
                position = builder.add(position, builder.mul(number, step))
            data = context.make_array(kinds[array])(context, builder, values[array]).data
            return builder.gep(data, [position])

        def vector_pointer(array: int, number: Any) -> Any:
            here = pointer(array, (number, values[array + 2]))
            return builder.bitcast(here, vector.as_pointer())

        def spread(number: Any) -> Any:
            undefined = ir.Constant(vector, ir.Undefined)
            every = ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
            single = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(single, undefined, every)

        rows = [ir.Constant(values[1].type, row) for row in range(ROWS)]
        sums = [
            cgutils.alloca_once_value(builder, builder.load(vector_pointer(7, row), align=align))
            for row in rows
        ]
        with cgutils.for_range(builder, values[13]) as loop:
            there = builder.load(vector_pointer(4, loop.index), align=align)
            for row, total in zip(rows, sums, strict=True):
                here = builder.load(pointer(0, (row, values[2]), (loop.index, values[3])))
                term = builder.fmul(spread(here), there)
                builder.store(builder.fadd(builder.load(total), term), total)
        for row, total in zip(rows, sums, strict=True):
            builder.store(builder.load(total), vector_pointer(10, row), align=align)
        return context.get_dummy_value()

    return types.void(*kinds, terms), generate


@compiled
def _multiply(
    a: Array,
    a_first: int,
    a_row: int,
    a_term: int,
    b: Array,
    b_first: int,
    s: Array,
    s_first: int,
    s_row: int,
    c: Array,
    c_first: int,
    rows: int,
    terms: int,
    width: int,
) -> None:
    """Write C = S + A B, where the rows of B and C have the length `width`."""
    for column in range(0, width, LANES):
        for row in range(0, rows, ROWS):
            _tile(
                a, a_first + row * a_row, a_row, a_term, b, b_first + column, width,
                s, s_first + row * s_row + column, s_row,
                c, c_first + row * width + column, width, terms,
            )  # fmt: skip


@compiled
def _tanh(values: Array, first: int, end: int) -> None:
    # The rational approximation of Eigen (and so of TensorFlow), exact to single precision. Unlike
    # the library's function, it is vectorised.
    part = values[first:end]
    if values.itemsize == 8:
        for i in range(len(part)):
            part[i] = np.tanh(part[i])
        return
    for i in range(len(part)):
        x = min(max(part[i], np.float32(-7.905311)), np.float32(7.905311))
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
        part[i] = x * p / q


@compiled
def _lay_out(sizes: Sizes, parameters: Array, matrices: Array) -> None:
    """
    Write the weights of the six layers, inputs × outputs, one after the other.

    The slopes of the inputs of a layer are those of its outputs times the weights of the layer that
    mirrors it.
    """
    place, end = 0, len(matrices) - padded(max(sizes))
    for layer in range(3):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        width, mirrored = padded(outputs), padded(inputs)
        end -= _matrix(outputs, inputs)
        for i in range(inputs):
            for unit in range(outputs):
                weight = parameters[place + i * width + unit]
                matrices[place + i * width + unit] = weight
                matrices[end + unit * mirrored + i] = weight
        place += _matrix(inputs, outputs)


@compiled
def _forward(sizes: Sizes, parameters: Array, matrices: Array, n: int, outputs: Array) -> None:
    """Compute the outputs of all levels for `n` rows, which are in level 0."""
    bias = _weight_count(sizes)
    place = level = 0
    for layer in range(6):
        inputs, units = _units(sizes, layer), _units(sizes, layer + 1)
        following = level + _matrix(n, inputs)
        _multiply(
            outputs, level, padded(inputs), 1, matrices, place, parameters, bias, 0,
            outputs, following, n, inputs, padded(units),
        )  # fmt: skip
        _tanh(outputs, following, following + n * padded(units))
        place += _matrix(inputs, units)
        bias += padded(units)
        level = following


@compiled
def _loss(sizes: Sizes, shrinkage: float, n: int, outputs: Array) -> float:
    """Return mean (x − r)² + shrinkage · mean z²."""
    m, first, second, latent = sizes
    place = _matrix(n, m) + _matrix(n, first) + _matrix(n, second)
    last = _padded_rows(n) * (_level_width(sizes) - padded(m))
    error = size = 0.0
    for i in range(n * padded(m)):
        difference = outputs[last + i] - outputs[i]
        error += difference * difference
    for i in range(place, place + n * padded(latent)):
        size += outputs[i] * outputs[i]
    return error / (n * m) + shrinkage * size / (n * latent)


@compiled
def _backward(
    sizes: Sizes,
    matrices: Array,
    shrinkage: float,
    n: int,
    outputs: Array,
    slopes: Array,
    gradient: Array,
) -> None:
    """Compute the gradient of the loss; `slopes` are those in the outputs of all levels."""
    m, latent = sizes[0], sizes[3]
    for i in range(len(gradient)):
        gradient[i] = 0
    level = _padded_rows(n) * (_level_width(sizes) - padded(m))
    real = outputs.dtype.type
    to_slope, one = real(2.0 / (n * m)), real(1.0)
    shrink_slope = real(2.0 * shrinkage / (n * latent))
    rows, reconstructed = outputs[: n * padded(m)], outputs[level:]
    slope = slopes[level:]
    for i in range(len(rows)):
        slope[i] = to_slope * (reconstructed[i] - rows[i])
    bias, zeros = len(gradient), len(matrices) - padded(max(sizes))
    place = own = 0
    for layer in range(5, -1, -1):
        inputs, units = _units(sizes, layer), _units(sizes, layer + 1)
        narrow, width = padded(inputs), padded(units)
        before = level - _matrix(n, inputs)
        bias -= width
        output, slope = outputs[level : level + n * width], slopes[level : level + n * width]
        if layer == 2:
            for i in range(len(slope)):
                slope[i] += shrink_slope * output[i]
        for i in range(len(slope)):
            slope[i] *= one - output[i] * output[i]
        by_bias = gradient[bias : bias + width]
        for row in range(n):
            part = slope[row * width : (row + 1) * width]
            for unit in range(len(by_bias)):
                by_bias[unit] += part[unit]
        # The gradient in a weight has a term of the decoder, and then one of the encoder.
        if layer >= 3:
            _multiply(
                slopes, level, 1, width, outputs, before, gradient, own, narrow,
                gradient, own, units, n, narrow,
            )  # fmt: skip
            own += _matrix(units, inputs)
        else:
            own -= _matrix(inputs, units)
            _multiply(
                outputs, before, 1, narrow, slopes, level, gradient, own, width,
                gradient, own, inputs, n, width,
            )  # fmt: skip
        if layer:
            _multiply(
                slopes, level, width, 1, matrices, place, matrices, zeros, 0,
                slopes, before, n, units, narrow,
            )  # fmt: skip
        place += _matrix(units, inputs)
        level = before


def encoder(parameters: Array, sizes: Sizes) -> list[tuple[Array, Array]]:
    """Return the weights and biases of the three encoder layers."""
    layers, place, bias = [], 0, _weight_count(sizes)
    for inputs, outputs in pairwise(sizes):
        width = padded(outputs)
        weights = parameters[place : place + inputs * width].reshape(inputs, width)
        layers.append((weights[:, :outputs].copy(), parameters[bias : bias + outputs].copy()))
        place += _matrix(inputs, outputs)
        bias += width
    return layers


@compiled
def evaluate(
    parameters: Array, rows: Array, sizes: Sizes, shrinkage: float, gradient: Array
) -> float:
    """
    Return the loss mean (x − r)² + shrinkage · mean z², and write its gradient.

    Here r is the reconstruction and z the latent representation of a row x.
    """
    n = len(rows)
    matrices = np.zeros(_matrix_count(sizes), parameters.dtype)
    outputs = np.zeros(_padded_rows(n) * _level_width(sizes), parameters.dtype)
    slopes = np.zeros_like(outputs)
    _lay_out(sizes, parameters, matrices)
    for row in range(n):
        for unit in range(sizes[0]):
            outputs[row * padded(sizes[0]) + unit] = rows[row, unit]
    _forward(sizes, parameters, matrices, n, outputs)
    _backward(sizes, matrices, shrinkage, n, outputs, slopes, gradient)
    return _loss(sizes, shrinkage, n, outputs)


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
    training: Single,
    validation: Single,
    sizes: Sizes,
    seed: int,
    shrinkage: float,
    rate: float,
    batch: int,
    epochs: int,
    check_every: int,
    patience: int,
    least_gain: float,
    parameters: Single,
) -> tuple[int, float]:
    """Train in place; return the number of epochs and the last validation loss."""
    stream = np.empty(STATE_SIZE, np.uint64)
    seeded(stream, seed)
    _initialise(sizes, stream, parameters)
    n, m, width = len(training), sizes[0], padded(sizes[0])
    squares, updates = np.zeros_like(parameters), np.zeros_like(parameters)
    gradient = np.empty_like(parameters)
    matrices = np.zeros(_matrix_count(sizes), np.float32)
    most = _padded_rows(max(batch, len(validation)))
    outputs = np.zeros(most * _level_width(sizes), np.float32)
    slopes = np.zeros_like(outputs)
    order = np.arange(max(n, len(validation)))
    best, waited, loss = np.inf, 0, np.nan
    for epoch in range(1, epochs + 1):
        for last in range(n - 1, 0, -1):
            other = below(stream, last + 1)
            order[last], order[other] = order[other], order[last]
        for start in range(0, n, batch):
            end = min(start + batch, n)
            for i in range(start, end):
                for unit in range(m):
                    outputs[(i - start) * width + unit] = training[order[i], unit]
                for unit in range(m, width):
                    outputs[(i - start) * width + unit] = 0
            _lay_out(sizes, parameters, matrices)
            _forward(sizes, parameters, matrices, end - start, outputs)
            _backward(sizes, matrices, shrinkage, end - start, outputs, slopes, gradient)
            _adadelta(parameters, gradient, squares, updates, rate)
        if epoch % check_every == 0:
            for i in range(len(validation)):
                for unit in range(m):
                    outputs[i * width + unit] = validation[i, unit]
                for unit in range(m, width):
                    outputs[i * width + unit] = 0
            _lay_out(sizes, parameters, matrices)
            _forward(sizes, parameters, matrices, len(validation), outputs)
            loss = _loss(sizes, shrinkage, len(validation), outputs)
            waited += 1
            if loss + least_gain < best:
                best, waited = loss, 0
            elif waited >= patience:
                return epoch, loss
    return epochs, loss
