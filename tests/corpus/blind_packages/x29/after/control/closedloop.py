import torch
from torch import nn

from .autograd import saturate
from .plant import dynamics


class Controller(nn.Module):
    def __init__(self, n_state, n_act, limit):
        super().__init__()
        self.K = nn.Parameter(torch.randn(n_state, n_act).mul_(0.5))
        self.bias = nn.Parameter(torch.zeros(n_act))
        self.limit = limit
        a, b = dynamics(n_state, n_act)
        self.register_buffer("A", a)
        self.register_buffer("B", b)

    def cost(self, x):
        raw = x @ self.K + self.bias
        act = saturate(raw, self.limit)
        nxt = x @ self.A + act @ self.B.t()
        excess = raw - 0.5 * act
        return nxt.square().mean() + 0.1 * excess.square().mean()
