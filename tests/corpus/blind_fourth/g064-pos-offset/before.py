import math
import torch
import torch.nn as nn


class Positions(nn.Module):
    def __init__(self, length, dim):
        super().__init__()
        pos = torch.arange(length)[:, None]
        div = torch.exp(torch.arange(0, dim, 2) * (-math.log(1e4) / dim))
        table = torch.zeros(length, dim)
        table[:, 0::2] = torch.sin(pos * div)
        table[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("table", table)

    def forward(self, x, segment=0):
        pe = self.table[: x.size(1)]
        pe += 0.1 * segment
        return x + pe


def encode(net, pos, batch, segment):
    return net(pos(batch, segment=segment)).mean(1)


def main():
    torch.manual_seed(73)
    pos = Positions(10, 4)
    net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2))
    q, d = torch.randn(3, 5, 4), torch.randn(3, 7, 4)
    sim = encode(net, pos, q, 1) @ encode(net, pos, d, 2).t()
    nn.functional.cross_entropy(sim, torch.arange(3)).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
