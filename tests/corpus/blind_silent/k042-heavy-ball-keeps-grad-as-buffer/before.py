import torch
import torch.nn as nn
from torch.optim import Optimizer


class HeavyBall(Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.9):
        super().__init__(params, dict(lr=lr, momentum=momentum))

    def _velocity(self, p, momentum):
        state = self.state[p]
        if not state:
            state["velocity"] = p.grad
        else:
            state["velocity"].mul_(momentum).add_(p.grad)
        return state["velocity"]

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.add_(self._velocity(p, group["momentum"]), alpha=-group["lr"])


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.basis = nn.Linear(2, 6)
        self.coef = nn.Linear(6, 1, bias=False)

    def forward(self, x):
        return self.coef(torch.cos(self.basis(x)))


def run(net, x, y, steps):
    opt = HeavyBall(net.parameters(), lr=0.05)
    for _ in range(steps):
        opt.zero_grad(set_to_none=False)
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()


def main():
    torch.manual_seed(193)
    net = Regressor()
    x = torch.randn(20, 2)
    run(net, x, x.sum(1, keepdim=True).sin(), steps=4)
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
