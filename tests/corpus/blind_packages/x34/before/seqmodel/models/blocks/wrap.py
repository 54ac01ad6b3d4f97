from torch import nn


class Residual(nn.Module):
    def __init__(self, fn, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x):
        out = self.fn(self.norm(x))
        out += x
        return out
