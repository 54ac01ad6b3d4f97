import torch


class History:
    """Preallocated record; `rec += state` appends."""

    def __init__(self, n, width, dtype):
        self.data = torch.empty(n, width, dtype=dtype)
        self.n = 0

    def __iadd__(self, state):
        self.data[self.n] = state
        self.n += 1
        return self

    def __getitem__(self, t):
        return self.data[t]
