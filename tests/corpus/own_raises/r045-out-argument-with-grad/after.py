import torch
from torch import nn


class SharedBuffer(nn.Module):
    def __init__(self, d, depth):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(d, d) for _ in range(depth))
        self.register_buffer("acc", torch.empty(0), persistent=False)

    def forward(self, x):
        acc = torch.zeros_like(x)
        for block in self.blocks:
            acc = torch.add(acc, torch.tanh(block(x)))
        return acc / len(self.blocks)


def main():
    torch.manual_seed(51)
    net = SharedBuffer(3, 2)
    net(torch.randn(4, 3)).abs().sum().backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
