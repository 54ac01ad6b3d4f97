import torch
from torch import nn
from torch.optim import Optimizer


class MiniAdagrad(Optimizer):
    def __init__(self, params, lr=0.1, eps=1e-8):
        super().__init__(params, {"lr": lr, "eps": eps})

    def step(self, closure=None):
        loss = closure() if closure is not None else None
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["sum"] = torch.zeros_like(p)
                state["sum"].addcmul_(p.grad, p.grad)
                p.addcdiv_(p.grad, state["sum"].sqrt().add_(group["eps"]), value=-group["lr"])
        return loss


def main():
    torch.manual_seed(72)
    net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    opt = MiniAdagrad([{"params": net[0].parameters(), "lr": 0.2}, {"params": net[2].parameters()}])
    for _ in range(2):
        x = torch.rand(5, 2)
        opt.zero_grad()
        (net(x) - x.prod(1, keepdim=True)).square().mean().backward()
        opt.step()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
