import torch
from torch import nn


def apply_update(params, buffers, lr, beta):
    for p, m in zip(params, buffers):
        m.mul_(beta).add_(p.grad)
        p.add_(m, alpha=-lr)
        p.grad = None


class Runner:
    def __init__(self, net, lr=0.05, beta=0.9):
        self.net, self.lr, self.beta = net, lr, beta
        self.momentum = [torch.zeros_like(p) for p in net.parameters()]

    def step(self):
        with torch.no_grad():
            apply_update(list(self.net.parameters()), self.momentum, self.lr, self.beta)

    def run(self, batches):
        total = 0.0
        for x, y in batches:
            loss = nn.functional.mse_loss(self.net(x), y)
            loss.backward()
            self.step()
            total += loss.item()
        return total


def main():
    torch.manual_seed(82)
    runner = Runner(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)))
    total = runner.run([(torch.randn(5, 3), torch.randn(5, 1)) for _ in range(3)])
    return {"total": torch.tensor(total), **{n: p.detach().clone() for n, p in runner.net.named_parameters()}}


if __name__ == "__main__":
    main()
