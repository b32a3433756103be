"""edges: the graphs that the measurements of the package are about, as arrays of ends."""

import numpy as np


def kron(scale, seed=1):
    """Edges of a Kronecker graph as Graph500 draws them, 16 for each vertex."""
    random = np.random.default_rng(seed)
    ends = np.zeros((2, 16 << scale), np.uint32)
    for _ in range(scale):
        draw = random.random(ends.shape[1], np.float32)
        ends = 2 * ends + np.stack([draw >= 0.76, ((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95)])
    return random.permutation(1 << scale).astype(np.uint32)[ends]


def grid(side):
    """Edges of a square grid, as long of paths as maps of roads."""
    at = np.arange(side * side, dtype=np.uint32).reshape(side, side)
    right = np.stack([at[:, :-1].ravel(), at[:, 1:].ravel()])
    return np.concatenate([right, np.stack([at[:-1].ravel(), at[1:].ravel()])], axis=1)
