import torch


def add_(total, value):
    """Named after the in-place method, but allocates."""
    return torch.add(total, value)


class Track:
    """Accumulates a loss; `track += term` keeps the graph."""

    def __init__(self, value):
        self.value = value
        self.n = 0

    def __iadd__(self, term):
        return self._next(self.value + term)

    def __imul__(self, k):
        return self._next(self.value * k)

    def _next(self, value):
        out = Track(value)
        out.n = self.n + 1
        return out
