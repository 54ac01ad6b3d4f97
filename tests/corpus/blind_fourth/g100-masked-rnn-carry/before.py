import torch
import torch.nn as nn


class Packed(nn.Module):
    def __init__(self, i, h):
        super().__init__()
        self.cell = nn.RNNCell(i, h)
        self.h = h

    def forward(self, x, lengths):
        order = torch.argsort(lengths, descending=True)
        x, lengths = x[order], lengths[order]
        state = x.new_zeros(len(x), self.h)
        for t in range(int(lengths.max())):
            active = int((lengths > t).sum())
            new = self.cell(x[:active, t], state[:active].clone())
            state[:active] = new
        return state[torch.argsort(order)]


def main():
    torch.manual_seed(110)
    net, out = Packed(2, 4), nn.Linear(4, 1)
    y = out(net(torch.randn(4, 6, 2), torch.tensor([3, 6, 1, 4])))
    (y - 1).square().mean().backward()
    return {"out": out.weight.grad, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
