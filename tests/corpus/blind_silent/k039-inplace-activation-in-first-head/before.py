from collections import OrderedDict
from functools import partial

import torch
import torch.nn as nn

ACTS = {
    "relu": partial(nn.ReLU, inplace=True),
    "leaky": partial(nn.LeakyReLU, 0.1, inplace=True),
    "none": nn.Identity,
}


class Branch(nn.Module):
    def __init__(self, dim, out, act: nn.Module):
        super().__init__()
        self.act = act
        self.fc = nn.Linear(dim, out)

    def forward(self, h):
        return self.fc(self.act(h))


class DecoupledHead(nn.Module):
    def __init__(self, dim=6, spec=(("cls", 3, "leaky"), ("box", 4, "none"), ("obj", 1, "none"))):
        super().__init__()
        built = {name: ACTS[name]() for name in {s[2] for s in spec}}
        self.branches = nn.ModuleDict(OrderedDict((n, Branch(dim, o, built[a])) for n, o, a in spec))

    def forward(self, h):
        return {n: b(h) for n, b in self.branches.items()}


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(5, 6), nn.Linear(5, 6)
        self.head = DecoupledHead()

    def forward(self, x):
        return self.head(self.a(x) + self.b(x.flip(1)))


def main():
    torch.manual_seed(179)
    net = Detector()
    out = net(torch.randn(8, 5))
    loss = out["cls"].logsumexp(1).mean() + (out["box"] - 1).abs().mean() + nn.functional.softplus(out["obj"]).mean()
    loss.backward()
    return {"box": out["box"], **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
