from contextlib import contextmanager
import torch
import torch.nn as nn


@contextmanager
def perturbed(net, sigma):
    kept = [p.detach().clone() for p in net.parameters()]
    for p in net.parameters():
        p.data.add_(sigma * torch.randn_like(p))
    try:
        yield net
    finally:
        for p, k in zip(net.parameters(), kept):
            p.data.copy_(k)


class VariationalNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2 = nn.Linear(3, 8), nn.Linear(8, 1)

    def forward(self, x):
        return self.l2(torch.tanh(self.l1(x)))


def fit(net, opt, data):
    for x, y in data:
        opt.zero_grad()
        with perturbed(net, 0.3) as noisy:
            loss = (noisy(x) - y).square().mean()
            loss.backward()
        opt.step()


def main():
    torch.manual_seed(82)
    net = VariationalNet()
    fit(net, torch.optim.SGD(net.parameters(), lr=0.1), [(torch.randn(6, 3), torch.randn(6, 1)) for _ in range(3)])
    return {n: p.detach() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
