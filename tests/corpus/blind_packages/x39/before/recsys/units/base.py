from abc import abstractmethod

from torch import nn


class Unit(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.lin = nn.Linear(dim, dim)

    @abstractmethod
    def transform(self, x):
        ...

    def combine(self, y, x):
        y += x
        return y

    def forward(self, x):
        return self.combine(self.transform(x), x)
