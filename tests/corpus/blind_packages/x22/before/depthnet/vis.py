import numpy as np


def to_image(arr):
    """Rescale to 0..255 for the board."""
    arr -= arr.min()
    arr /= arr.max() + 1e-8
    return (arr * 255).astype(np.uint8)


class FeatureLog:
    def __init__(self, every):
        self.every = every
        self.calls = 0
        self.images = {}

    def __call__(self, tag, feat):
        self.calls += 1
        if self.calls % self.every:
            return
        grid = feat.detach().cpu().numpy()[0]
        self.images[tag] = to_image(grid)
