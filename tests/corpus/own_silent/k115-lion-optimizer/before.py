import torch
from torch import nn
from torch.optim import Optimizer


class Lion(Optimizer):
    def __init__(self, params, lr=1e-2, betas=(0.9, 0.99), weight_decay=0.1):
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in (q for q in group["params"] if q.grad is not None):
                p.mul_(1 - group["lr"] * group["weight_decay"])
                state = self.state[p]
                if not state:
                    state["exp_avg"] = torch.zeros_like(p)
                m = state["exp_avg"]
                update = m.clone().mul_(b1).add_(p.grad, alpha=1 - b1).sign_()
                p.add_(update, alpha=-group["lr"])
                m.mul_(b2).add_(p.grad, alpha=1 - b2)
        return loss


def main():
    torch.manual_seed(145)
    net = nn.Sequential(nn.Linear(3, 5), nn.SiLU(inplace=True), nn.Linear(5, 1))
    opt = Lion(net.parameters())
    x, y = torch.randn(7, 3), torch.randn(7, 1)

    def closure():
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        return loss

    losses = [opt.step(closure).detach() for _ in range(3)]
    return {"losses": torch.stack(losses), **dict(net.named_parameters())}


if __name__ == "__main__":
    main()
