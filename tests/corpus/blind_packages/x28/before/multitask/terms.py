import torch


class TermBuffer:
    """Named loss terms in one tensor, so that logging is one transfer."""

    def __init__(self, first, names):
        self.names = list(names)
        self.values = first.repeat(len(self.names))
        self.filled = 1

    def __setitem__(self, name, value):
        self.values.data[self.names.index(name)] = value
        self.filled += 1

    def weighted(self, weights):
        w = torch.empty(len(self.names))
        for i, n in enumerate(self.names):
            w[i] = weights[n]
        return (self.values * w).sum()
