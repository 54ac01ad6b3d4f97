import torch
import torch.nn as nn


class HeavyBall(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, beta=0.9):
        super().__init__(params, dict(lr=lr, beta=beta))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                st = self.state[p]
                if "v" not in st:
                    st["v"] = p.grad
                else:
                    st["v"].mul_(group["beta"]).add_(p.grad)
                p.add_(st["v"], alpha=-group["lr"])


def main():
    torch.manual_seed(12)
    net = nn.Linear(3, 1)
    opt = HeavyBall(net.parameters(), lr=0.05)
    x = torch.randn(16, 3)
    y = x.sum(1, keepdim=True)
    history = []
    for _ in range(6):
        opt.zero_grad(set_to_none=False)
        loss = (net(x) - y).square().mean()
        loss.backward()
        opt.step()
        history.append(loss.item())
    return {"w": net.weight.detach(), "loss": torch.tensor(history)}


if __name__ == "__main__":
    main()
