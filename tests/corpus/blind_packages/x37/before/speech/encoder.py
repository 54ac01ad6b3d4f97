from torch import nn

from .norm import ChannelNorm


class Encoder(nn.Module):
    def __init__(self, d_in, hidden, d_out):
        super().__init__()
        self.inp = nn.Linear(d_in, hidden)
        self.norm = ChannelNorm(hidden)
        self.act = nn.ReLU()
        self.out = nn.Linear(hidden, d_out)

    def forward(self, x):
        h = self.act(self.norm(self.inp(x)))
        z = self.out(h)
        z -= z.detach().mean()
        return z


def build_encoder(d_in, d_out, hidden=5):
    return Encoder(d_in, hidden, d_out)
