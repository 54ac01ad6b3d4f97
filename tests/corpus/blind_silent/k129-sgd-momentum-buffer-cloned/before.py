import torch
import torch.nn as nn
from torch.optim import Optimizer


class NesterovSGD(Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.9, decay=0.0):
        super().__init__(params, {"lr": lr, "momentum": momentum, "decay": decay})

    def _direction(self, p, group):
        d_p = p.grad
        if group["decay"]:
            d_p = d_p.add(p, alpha=group["decay"])
        state = self.state[p]
        if "buf" not in state:
            buf = state["buf"] = torch.clone(d_p).detach()
        else:
            buf = state["buf"]
            buf.mul_(group["momentum"]).add_(d_p)
        return d_p.add(buf, alpha=group["momentum"])

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in filter(lambda q: q.grad is not None, group["params"]):
                p.add_(self._direction(p, group), alpha=-group["lr"])
        return loss


def main():
    torch.manual_seed(127)
    net = nn.Sequential(nn.Linear(3, 5), nn.Hardswish(), nn.Linear(5, 1))
    opt = NesterovSGD(net.parameters(), lr=0.05, decay=0.01)
    x = torch.randn(10, 3)

    def closure():
        opt.zero_grad(set_to_none=False)
        loss = nn.functional.mse_loss(net(x), x.mean(1, keepdim=True))
        loss.backward()
        return loss

    for _ in range(4):
        opt.step(closure)
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
