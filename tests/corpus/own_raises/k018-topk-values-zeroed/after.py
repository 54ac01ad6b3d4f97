import torch
from torch import nn


class SparseTop(nn.Module):
    def __init__(self, d, k, floor):
        super().__init__()
        self.fc = nn.Linear(d, d)
        self.k, self.floor = k, floor

    def forward(self, x):
        scores = self.fc(x)
        values, where = scores.topk(self.k, dim=-1)
        values = values.masked_fill(values < self.floor, 0.0)
        return torch.zeros_like(scores).scatter(-1, where, values)


def main():
    torch.manual_seed(17)
    net = SparseTop(6, 3, 0.2)
    dec = nn.Linear(6, 4)
    dec(net(torch.randn(5, 6))).square().mean().backward()
    return {"fc": net.fc.weight.grad.clone(), "dec": dec.weight.grad.clone()}


if __name__ == "__main__":
    main()
