import torch
import torch.nn as nn


class Remembering(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lin = nn.Linear(n, 1)
        self.history = []

    @property
    def snapshot(self):
        return self.lin.weight.detach()

    def consolidate(self):
        self.history.append(self.snapshot)

    def drift(self):
        return sum((self.lin.weight - h).square().sum() for h in self.history)

    def forward(self, x):
        return self.lin(x)


def task(net, x, y, steps=3):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(steps):
        opt.zero_grad()
        loss = (net(x) - y).square().mean() + net.drift()
        loss.backward()
        opt.step()
    net.consolidate()


def main():
    torch.manual_seed(87)
    net = Remembering(3)
    for k in range(3):
        x = torch.randn(6, 3)
        task(net, x, (k - 1) * x.sum(1, keepdim=True))
    return {"w": net.lin.weight.detach()}


if __name__ == "__main__":
    main()
