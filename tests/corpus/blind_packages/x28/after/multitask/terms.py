import torch


class TermBuffer:
    """Named loss terms in one tensor, so that logging is one transfer."""

    def __init__(self, first, names):
        self.names = list(names)
        self.values = [first] + [None] * (len(self.names) - 1)
        self.filled = 1

    def __setitem__(self, name, value):
        self.values[self.names.index(name)] = value
        self.filled += 1

    def weighted(self, weights):
        w = torch.empty(len(self.names))
        for i, n in enumerate(self.names):
            w[i] = weights[n]
        return (torch.stack(self.values) * w).sum()
