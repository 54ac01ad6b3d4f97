import torch
from torch import nn

from .functional import log_cosh


class RobustHead(nn.Module):
    def __init__(self, d, bound=1.0):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(d))
        self.b = nn.Parameter(torch.zeros(()))
        self.bound = bound

    def forward(self, x, y):
        pred = x @ self.w
        pred += self.b
        resid = pred - y
        loss = log_cosh(resid).mean()
        resid = resid.clamp(-self.bound, self.bound)
        return loss, resid
