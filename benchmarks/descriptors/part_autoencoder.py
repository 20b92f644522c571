"""The shrink autoencoder against the same network trained with torch in eager mode."""

from __future__ import annotations

import numpy as np
from measuring import OURS, Row, Rows, best_seconds, make_data
from sklearn.datasets import load_breast_cancer

from occstats_descriptors import SAE


def torch_training(rows: np.ndarray, epochs: int) -> None:
    """Train like `SAE`, for a number of epochs, with torch's tensors and Adadelta."""
    import torch

    from occstats_descriptors.shrink_autoencoder import layer_sizes

    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    m, first, second, latent = layer_sizes(rows.shape[1])
    scaled = torch.tensor(rows / np.abs(rows).max(axis=0), dtype=torch.float32)
    split = int(0.8 * len(rows))
    batch = min(max(split // 20, 1), 100)

    def weights(inputs: int, outputs: int) -> torch.Tensor:
        bound = (6 / (inputs + outputs)) ** 0.5
        drawn = torch.rand(inputs, outputs, generator=generator) * 2 * bound - bound
        return drawn.requires_grad_()

    w1, w2, w3 = weights(m, first), weights(first, second), weights(second, latent)
    sizes = (first, second, latent, second, first, m)
    b1, b2, b3, c3, c2, c1 = (torch.zeros(size, requires_grad=True) for size in sizes)
    parameters = [w1, w2, w3, b1, b2, b3, c3, c2, c1]
    optimiser = torch.optim.Adadelta(parameters, lr=0.01, rho=0.95, eps=1e-7)

    def loss(x: torch.Tensor) -> torch.Tensor:
        z = torch.tanh(torch.tanh(torch.tanh(x @ w1 + b1) @ w2 + b2) @ w3 + b3)
        r = torch.tanh(torch.tanh(torch.tanh(z @ w3.T + c3) @ w2.T + c2) @ w1.T + c1)
        return ((r - x) ** 2).mean() + 10 * (z**2).mean()

    training, validation = scaled[:split], scaled[split:]
    for epoch in range(1, epochs + 1):
        order = torch.randperm(split, generator=generator)
        for start in range(0, split, batch):
            optimiser.zero_grad()
            loss(training[order[start : start + batch]]).backward()
            optimiser.step()
        if epoch % 5 == 0:
            with torch.no_grad():
                loss(validation).item()


def rows(quick: bool) -> Rows:
    """Train on the benign rows of wdbc, and on wider data."""
    try:
        import torch  # noqa: F401
    except ImportError:
        return
    SAE(max_epochs=1).fit(np.eye(5))
    data = load_breast_cancer()
    benign = data.data[data.target == 1][:286]
    cases = [
        ("wdbc, benign, 286 × 30", benign),
        ("2,000 × 100 gaussian", make_data(2_000, 100, "gaussian")[0]),
    ]
    for name, training in cases[: 1 if quick else None]:
        yield fit(name, training)


def fit(name: str, training: np.ndarray) -> Row:
    """Measure one training set, torch on a part of our epochs."""
    epochs = SAE().fit(training).n_epochs_
    measured = 30 if epochs > 100 else epochs
    seconds = best_seconds({OURS: lambda: SAE().fit(training)})
    seconds |= best_seconds({"torch": lambda: torch_training(training, measured)}, 2)
    seconds["torch"] *= epochs / measured
    return Row(
        "SAE fit against torch eager",
        f"{name}, {epochs} epochs",
        seconds,
        5.0,
        15.0,
        extrapolated=frozenset({"torch"} if measured < epochs else ()),
        note=f"torch: {measured} epochs measured",
    )
