import torch
from torch import nn


class HeavyBall(torch.optim.Optimizer):
    def __init__(self, params, lr, momentum):
        super().__init__(params, dict(lr=lr, momentum=momentum))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if "buf" not in state:
                    state["buf"] = p.grad.clone()
                else:
                    state["buf"].mul_(group["momentum"]).add_(p.grad)
                p.sub_(group["lr"] * state["buf"])


def main():
    torch.manual_seed(781)
    net = nn.Linear(3, 1)
    opt = HeavyBall(net.parameters(), lr=0.05, momentum=0.9)
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    losses = []
    for _ in range(4):
        opt.zero_grad(set_to_none=False)
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        losses.append(loss.detach())
        opt.step()
    return {"losses": torch.stack(losses), "weight": net.weight}


if __name__ == "__main__":
    main()
