import torch
from torch import nn


class SlotMemory(nn.Module):
    def __init__(self, slots, dim):
        super().__init__()
        self.init = nn.Parameter(torch.randn(slots, dim))
        self.write_head, self.read_head = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, sequence):
        memory = self.init * 1.0
        for t, token in enumerate(sequence):
            memory[t % len(memory)] = torch.tanh(self.write_head(token))
        return self.read_head(memory).sum(0)


def main():
    torch.manual_seed(591)
    net = SlotMemory(4, 3)
    out = net(torch.randn(3, 3))
    out.square().sum().backward()
    zero = torch.zeros(1)
    return {"out": out, **{n: zero if p.grad is None else p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
