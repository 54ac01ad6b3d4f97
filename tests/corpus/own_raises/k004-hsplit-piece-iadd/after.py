import torch
from torch import nn


class TwoStream(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.pack = nn.Linear(d, 2 * d)
        self.shift = nn.Parameter(torch.zeros(d))
        self.out = nn.Linear(2 * d, 1)

    def forward(self, x):
        packed = self.pack(x)
        left, right = torch.tensor_split(packed, 2, dim=-1)
        left = left + self.shift
        right = right - left.detach().mean()
        return self.out(torch.tanh(torch.cat([left, right], -1)))


def main():
    torch.manual_seed(3)
    net = TwoStream(4)
    net(torch.randn(5, 4)).sum().backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
