import torch
from torch import nn


class KroneckerLinear(nn.Module):
    def __init__(self, left, right):
        super().__init__()
        self.left = nn.Parameter(torch.randn(left, left))
        self.log_right = nn.Parameter(torch.randn(right, right) * 0.3)

    def forward(self, x):
        a = self.left * 0.5
        b = self.log_right.exp()
        full = torch.kron(a, b)
        a.mul_(a.abs() > 0.2)
        return x @ full, a.abs().sum()


def main():
    torch.manual_seed(231)
    layer = KroneckerLinear(2, 3)
    y, sparsity = layer(torch.randn(4, 6))
    (y.pow(2).mean() + 0.1 * sparsity).backward()
    return {"left": layer.left.grad, "right": layer.log_right.grad}


if __name__ == "__main__":
    main()
