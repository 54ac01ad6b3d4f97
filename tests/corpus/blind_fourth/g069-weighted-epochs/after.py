import torch
import torch.nn as nn


class Weighted:
    def __init__(self, x, y, w):
        self.x, self.y, self.w = x, y, w

    def batches(self, size):
        for i in range(0, len(self.x), size):
            sl = slice(i, i + size)
            yield self.x[sl], self.y[sl], self.w[sl]


def weighted_loss(pred, y, w, power):
    w = w.pow(power)
    return (w / w.sum() * (pred - y).abs()).sum()


def main():
    torch.manual_seed(78)
    data = Weighted(torch.randn(12, 3), torch.randn(12), torch.rand(12) + 0.5)
    net = nn.Linear(3, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(3):
        for x, y, w in data.batches(4):
            loss = weighted_loss(net(x).squeeze(1), y, w, power=2.0)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return {"w": net.weight.detach(), "loss": loss.detach()}


if __name__ == "__main__":
    main()
