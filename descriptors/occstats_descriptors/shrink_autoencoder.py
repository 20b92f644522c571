"""Shrink autoencoder."""

from __future__ import annotations

import math

import numpy as np

from occstats_descriptors._kernels import Matrix, Vector
from occstats_descriptors._kernels.threads import single_threaded_blas
from occstats_descriptors.base import Descriptor, integer, positive_number, seed_of


class SAE(Descriptor):
    r"""
    Shrink autoencoder: distance to the centre in a latent space that is forced to be compact.

    A network with five hidden layers, whose sizes decrease linearly from m to
    :math:`l = \lfloor\sqrt{m}\rceil + 1` units and increase again, learns to reproduce the target
    rows while their latent representations z shrink to the origin: with reconstructions r it
    minimises

    .. math::

        \frac{1}{nm} \sum_{i, j} (x_{ij} - r_{ij})^2
        + \lambda \frac{1}{nl} \sum_{i, j} z_{ij}^2 .

    With :math:`\mu` and :math:`\sigma` the means and standard deviations of the latent
    representations of the target rows, the score of a row with representation z is

    .. math::

        \frac{1}{1 + D}, \qquad D = \sqrt{\sum_j \left(\frac{z_j - \mu_j}{\sigma_j}\right)^2} .

    Parameters
    ----------
    latent : int, "nearest" or "floor", default 'nearest'
        Number of latent units; "nearest" is :math:`\lfloor\sqrt{m}\rceil + 1`, as printed by Lenz
        et al., and "floor" is :math:`\lfloor\sqrt{m}\rfloor + 1`, as in both published codes.
    shrinkage : float, default 10.0
        Weight :math:`\lambda` of the latent term.
    learning_rate : float, default 0.01
        Learning rate of Adadelta.
    max_epochs : int, default 1000
        Largest number of passes over the training rows.
    random_state : int, RandomState or None, default 0
        Seed of the initial weights and of the order of rows. The default is fixed, so that repeated
        fits are equal.
    contamination : float, default 0.1
        Share of the training rows below the threshold `offset_`, at most one half.

    Attributes
    ----------
    layer_sizes_ : tuple of int
        Units of the input, the two hidden and the latent layer.
    n_epochs_ : int
        Number of passes.
    validation_loss_ : float
        Last loss on the validation rows.
    offset_ : float
        Threshold on the score, from the plain scores of the training rows: leave-one-out scores
        would take n trainings.

    Notes
    -----
    The papers leave details open. These follow fuzzy-rough-learn, which the authors of the
    comparison published as the code they used, and the code of Cao et al. where both agree:

    - both: attributes divided by their largest absolute value; tanh in all layers, including the
      last; transposed encoder weights in the decoder, with separate biases; initial weights
      uniform in :math:`\pm\sqrt{6 / (\text{inputs} + \text{outputs})}`; :math:`\lambda = 10`;
      Adadelta; batches of a twentieth of the training rows, at most 100; validation every fifth
      pass with a fifth of the rows; training ends after about 2,000 steps without a gain of 0.001,
      or after 1,000 passes; representations standardised for the distance;
    - fuzzy-rough-learn: rate 0.01 with decay 0.95 and ε = 10⁻⁷; validation with the *last* fifth of
      the rows (Cao et al.: the first); the last weights, not the best.

    The network is trained in single precision, and rows are encoded in double precision. The scores
    depend on the initial weights: on small datasets, the area under the ROC curve varies over seeds
    with a standard deviation of about 0.06.

    References
    ----------
    V. L. Cao, M. Nicolau, J. McDermott (2019). Learning neural representations for network anomaly
    detection. IEEE Transactions on Cybernetics 49, 3074–3087. Code:
    https://github.com/vanloicao/SAEDVAE

    O. U. Lenz, D. Peralta, C. Cornelis (2021). Average Localised Proximity: A new data descriptor
    with good default one-class classification performance. Pattern Recognition 118, 107991. Code:
    https://github.com/oulenz/fuzzy-rough-learn

    Examples
    --------
    >>> import numpy as np
    >>> from occstats.descriptors import SAE
    >>> rows = np.random.default_rng(0).normal(loc=3.0, size=(100, 4))
    >>> descriptor = SAE(max_epochs=50).fit(rows)
    >>> descriptor.layer_sizes_
    (4, 4, 3, 3)
    >>> inside, outside = descriptor.score_samples([[3.0] * 4, [-9.0] * 4])
    >>> bool(inside > outside)
    True
    """

    def __init__(
        self,
        *,
        latent: int | str = "nearest",
        shrinkage: float = 10.0,
        learning_rate: float = 0.01,
        max_epochs: int = 1000,
        random_state: int | np.random.RandomState | None = 0,
        contamination: float = 0.1,
    ) -> None:
        super().__init__(contamination=contamination)
        self.latent = latent
        self.shrinkage = shrinkage
        self.learning_rate = learning_rate
        self.max_epochs = max_epochs
        self.random_state = random_state

    def _fit(self, X: Matrix) -> None:
        from occstats_descriptors._kernels.autoencoder import encoder, train

        shrinkage = positive_number(self.shrinkage, "shrinkage", or_zero=True)
        rate = positive_number(self.learning_rate, "learning_rate")
        epochs = integer(self.max_epochs, "max_epochs")
        self.layer_sizes_ = layer_sizes(X.shape[1], self.latent)
        largest = np.abs(X).max(axis=0)
        self._scale = np.where(largest > 0, largest, 1.0)
        scaled = (X / self._scale).astype(np.float32)
        split = int(0.8 * len(X))
        batch = min(max(split // 20, 1), 100)
        check_every = 5
        # Keras, in which the authors' program is written, stops one check after its patience.
        patience = round(2000 / (check_every * split / batch)) + 1
        parameters, self.n_epochs_, self.validation_loss_ = train(
            scaled[:split], scaled[split:], self.layer_sizes_, seed_of(self.random_state),
            shrinkage, rate, batch, epochs, check_every, patience, 0.001,
        )  # fmt: skip
        self._encoder = encoder(parameters.astype(np.float64), self.layer_sizes_)
        latent = self._encode(X)
        self._mean = latent.mean(axis=0)
        deviation = latent.std(axis=0)
        # Units that vary by rounding only are not standardised.
        self._deviation = np.where(deviation > 1e-12, deviation, 1.0)
        self._rows = X

    def _score(self, X: Matrix) -> Vector:
        standardised = (self._encode(X) - self._mean) / self._deviation
        return np.asarray(1 / (1 + np.linalg.norm(standardised, axis=1)))

    def _encode(self, X: Matrix) -> Matrix:
        with np.errstate(over="ignore"):
            values = np.clip(X / self._scale, -1e100, 1e100)
        with single_threaded_blas():
            for weights, biases in self._encoder:
                values = np.tanh(values @ weights + biases)
        return np.asarray(values)


def layer_sizes(m: int, latent: int | str = "nearest") -> tuple[int, int, int, int]:
    """Return the numbers of units from the input to the latent layer, for `m` attributes."""
    if latent == "nearest":
        units = round(math.sqrt(m)) + 1
    elif latent == "floor":
        units = math.isqrt(m) + 1
    elif isinstance(latent, str):
        raise ValueError(
            f'latent must be a number of units, "nearest" or "floor", got latent={latent!r}.'
        )
    else:
        units = integer(latent, "latent")
    return m, round((2 * m + units) / 3), round((m + 2 * units) / 3), units
