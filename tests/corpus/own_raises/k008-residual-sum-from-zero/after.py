import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self, experts: int, d: int):
        super().__init__()
        self.gate = nn.Linear(d, experts)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d), nn.Sigmoid()) for _ in range(experts)
        )

    def forward(self, x):
        weights = self.gate(x).softmax(-1)
        out = 0
        for i, expert in enumerate(self.experts):
            out = out + weights[:, i : i + 1] * expert(x)
        return out


def main():
    torch.manual_seed(7)
    moe = Mixture(3, 4)
    y = moe(torch.randn(5, 4))
    y.pow(3).sum().backward()
    return {n: p.grad.clone() for n, p in moe.named_parameters()}


if __name__ == "__main__":
    main()
