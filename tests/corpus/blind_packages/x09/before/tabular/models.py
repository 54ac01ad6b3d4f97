import torch.nn as nn

from .mixins import FreezeMixin, StandardiseMixin


class TabularRegressor(StandardiseMixin, FreezeMixin, nn.Module):
    def __init__(self, d, hidden):
        super().__init__()
        self.embed = nn.Linear(d, hidden)
        self.act = nn.ReLU(inplace=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.embed(x)
        h = self.standardise_(h)
        return self.head(self.act(h + 0.1))
