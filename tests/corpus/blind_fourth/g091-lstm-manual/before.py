import torch
import torch.nn as nn


class Cell(nn.Module):
    def __init__(self, i, h):
        super().__init__()
        self.x, self.h = nn.Linear(i, 4 * h), nn.Linear(h, 4 * h, bias=False)

    def forward(self, x, state):
        h, c = state
        z = self.x(x)
        z += self.h(h)
        i, f, o, g = (t.clone() for t in z.chunk(4, -1))
        for gate in (i, f, o):
            gate.sigmoid_()
        g.tanh_()
        new = f * c
        new += i * g
        return o * new.tanh(), new


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = Cell(3, 4), nn.Linear(4, 2)

    def forward(self, xs):
        state = (torch.zeros(xs.size(1), 4), torch.zeros(xs.size(1), 4))
        ys = []
        for x in xs:
            state = self.cell(x, state)
            ys.append(self.out(state[0]))
        return torch.stack(ys)


def main():
    torch.manual_seed(102)
    net = Tagger()
    net(torch.randn(5, 2, 3)).logsumexp(-1).mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
