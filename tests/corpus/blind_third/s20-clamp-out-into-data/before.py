import torch
import torch.nn as nn


class HighwayLayer(nn.Module):
    def __init__(self, d, lo=0.35, hi=0.65):
        super().__init__()
        self.h, self.t = nn.Linear(d, d), nn.Linear(d, d)
        self.lo, self.hi = lo, hi

    def forward(self, x):
        gate = torch.sigmoid(self.t(x))
        # keep the carry path open without allocating a new buffer
        torch.clamp(gate.data, self.lo, self.hi, out=gate.data)
        return gate * torch.relu(self.h(x)) + (1 - gate) * x


class Highway(nn.Module):
    def __init__(self, d_in, d, depth, n_cls):
        super().__init__()
        self.inp = nn.Linear(d_in, d)
        self.layers = nn.ModuleList([HighwayLayer(d) for _ in range(depth)])
        self.cls = nn.Linear(d, n_cls)

    def forward(self, x):
        x = torch.tanh(self.inp(x))
        for layer in self.layers:
            x = layer(x)
        return self.cls(x)


def main():
    torch.manual_seed(120)
    net = Highway(4, 8, 3, 3)
    for layer in net.layers:
        nn.init.normal_(layer.t.weight, std=1.5)
    x, y = torch.randn(10, 4), torch.randint(0, 3, (10,))
    nn.functional.cross_entropy(net(x), y).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
