import torch
import torch.nn as nn


class Pyramid(nn.Module):
    def __init__(self, levels, d):
        super().__init__()
        self.ins = nn.ModuleList(nn.Linear(d, d) for _ in range(levels))
        self.outs = nn.ModuleList(nn.Linear(d, 1) for _ in range(levels))

    def forward(self, xs):
        states = [torch.zeros_like(xs[0])] * len(xs)
        for i, (x, lin) in enumerate(zip(xs, self.ins)):
            states[i] += lin(x)
            if i:
                states[i] += 0.5 * x
        return torch.cat([o(torch.tanh(s)) for o, s in zip(self.outs, states)], 1)


def main():
    torch.manual_seed(72)
    net = Pyramid(3, 4)
    y = net(list(torch.randn(3, 5, 4)))
    y.square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
