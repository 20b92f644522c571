"""The shrink autoencoder against plain NumPy and finite differences."""

import numpy as np
import pytest

from occstats_descriptors import SAE
from occstats_descriptors._kernels.autoencoder import encoder, train
from occstats_descriptors.shrink_autoencoder import layer_sizes
from tests.descriptors import references

SIZES = (7, 6, 5, 4)
ROWS = np.random.default_rng(0).normal(size=(60, 7))


def trained(sizes, rows, epochs):
    rows = rows.astype(np.float32)
    return train(rows, rows[:5], sizes, 3, 10.0, 0.01, 7, epochs, 5, 1000, 0.001)[0]


def test_gradient_of_the_reference_equals_finite_differences():
    rows = ROWS[:6] / np.abs(ROWS).max()
    parameters = references.first_parameters(SIZES, references.Stream(1))

    def loss(parameters):
        outputs = references.layers(parameters, rows, SIZES)
        return np.mean((outputs[6] - rows) ** 2) + 10 * np.mean(outputs[3] ** 2)

    steps = 1e-5 * np.eye(len(parameters))
    slopes = [(loss(parameters + step) - loss(parameters - step)) / 2e-5 for step in steps]
    gradient = references.sae_gradient(parameters, rows, SIZES, 10.0)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("sizes", [SIZES, (7, 20, 17, 16)])
def test_training_equals_plain_numpy(sizes):
    rows = ROWS / np.abs(ROWS).max(axis=0)
    expected = references.trained_sae(rows, sizes, 3, 10.0, 0.01, 7, 20)
    start = references.first_parameters(sizes, references.Stream(3))
    assert np.abs(expected - start).max() > 1e-3
    w1, w2, w3, b1, b2, b3 = references.unpack(expected, sizes)[:6]
    found = encoder(trained(sizes, rows, 20), sizes)
    for (weights, biases), w, b in zip(found, (w1, w2, w3), (b1, b2, b3), strict=True):
        np.testing.assert_allclose(weights, w, atol=2e-6)
        np.testing.assert_allclose(biases, b, atol=2e-6)


def test_training_stops_without_gain():
    rows = np.zeros((20, 7), np.float32)
    # The loss of zero rows is zero from the start: the first check sets the best, three more wait.
    _, epochs, loss = train(rows, rows[:5], SIZES, 0, 10.0, 0.01, 4, 100, 5, 3, 0.001)
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
