"""The shrink autoencoder against plain NumPy and finite differences."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from occstats_descriptors import SAE
from occstats_descriptors._kernels.autoencoder import (
    loss_and_gradient,
    parameter_count,
    train,
    work_size,
)
from occstats_descriptors.shrink_autoencoder import layer_sizes
from tests.descriptors import references

SIZES = (7, 6, 5, 4)
ROWS = np.random.default_rng(0).normal(size=(60, 7))


def compiled_gradient(parameters, rows, shrinkage):
    gradient = np.empty_like(parameters)
    work = np.empty(work_size(SIZES, len(rows)), parameters.dtype)
    loss = loss_and_gradient(parameters, rows, SIZES, shrinkage, gradient, work, True)
    return loss, gradient


def drawn_parameters():
    return np.random.default_rng(1).normal(scale=0.5, size=parameter_count(SIZES))


def test_loss_and_gradient_equal_plain_numpy():
    parameters = drawn_parameters()
    loss, gradient = compiled_gradient(parameters, ROWS, 10.0)
    assert loss == pytest.approx(references.sae_loss(parameters, ROWS, SIZES, 10.0), rel=1e-12)
    np.testing.assert_allclose(
        gradient,
        references.sae_gradient(parameters, ROWS, SIZES, 10.0),
        rtol=1e-9,
        atol=1e-14,
    )


def test_gradient_equals_finite_differences():
    parameters = drawn_parameters()
    _, gradient = compiled_gradient(parameters, ROWS, 10.0)
    for i in range(len(parameters)):
        step = np.zeros(len(parameters))
        step[i] = 1e-5
        upper = references.sae_loss(parameters + step, ROWS, SIZES, 10.0)
        lower = references.sae_loss(parameters - step, ROWS, SIZES, 10.0)
        assert gradient[i] == pytest.approx((upper - lower) / 2e-5, rel=1e-5, abs=1e-8)


def test_training_equals_plain_numpy():
    training = np.clip(ROWS / np.abs(ROWS).max(axis=0), -1, 1)
    parameters = np.empty(parameter_count(SIZES), np.float32)
    epochs, _ = train(
        training.astype(np.float32), training[:5].astype(np.float32), SIZES, 3, 10.0, 0.01,
        7, 20, 5, 1000, 0.001, parameters,
    )  # fmt: skip
    assert epochs == 20
    expected = references.trained_sae(training, SIZES, 3, 10.0, 0.01, 7, 20)
    start = references.first_parameters(SIZES, references.Stream(3))
    assert np.abs(expected - start).max() > 1e-3
    np.testing.assert_allclose(parameters, expected, atol=2e-6)


def test_training_stops_without_gain():
    rows = np.zeros((20, 7), np.float32)
    parameters = np.empty(parameter_count(SIZES), np.float32)
    # The loss of zero rows is zero from the start: the first check sets the best, three more wait.
    epochs, loss = train(rows, rows[:5], SIZES, 0, 10.0, 0.01, 4, 100, 5, 3, 0.001, parameters)
    assert (epochs, loss) == (20, 0.0)


def test_score_is_the_standardised_distance_in_the_latent_space():
    descriptor = SAE(max_epochs=10, latent=3).fit(ROWS)
    scale = np.abs(ROWS).max(axis=0)

    def encode(rows):
        values = rows / scale
        for weights, biases in descriptor._encoder:
            values = np.tanh(values @ weights + biases)
        return values

    latent = encode(ROWS)
    queries = ROWS[:5] * 1.7
    z = (encode(queries) - latent.mean(axis=0)) / latent.std(axis=0)
    expected = 1 / (1 + np.sqrt((z**2).sum(axis=1)))
    np.testing.assert_allclose(descriptor.score_samples(queries), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("m", "latent", "expected"),
    # Layers of wdbc, spambase and PenDigits in nnet_architecture.py of Cao et al.
    [
        (30, "floor", (30, 22, 14, 6)),
        (57, "floor", (57, 41, 24, 8)),
        (16, "floor", (16, 12, 9, 5)),
        (57, "nearest", (57, 41, 25, 9)),
        (1, "nearest", (1, 1, 2, 2)),
        (30, 2, (30, 21, 11, 2)),
    ],
)
def test_layer_sizes(m, latent, expected):
    assert layer_sizes(m, latent) == expected


def test_threads_do_not_change_a_bit():
    rows = np.random.default_rng(5).normal(size=(900, 120))
    scores = []
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            descriptor = SAE(max_epochs=20).fit(rows)
            scores.append(descriptor.score_samples(rows + 0.5))
    np.testing.assert_array_equal(*scores)
