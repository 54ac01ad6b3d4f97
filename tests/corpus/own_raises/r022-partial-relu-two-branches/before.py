from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F

NONLIN = {
    "relu": partial(F.relu, inplace=True),
    "gelu": partial(F.gelu, approximate="tanh"),
}


class Inception(nn.Module):
    def __init__(self, cin, cout, nonlin="relu"):
        super().__init__()
        self.pointwise = nn.Conv1d(cin, cout, 1)
        self.wide = nn.Conv1d(cin, cout, 5, padding=2)
        self.nonlin = NONLIN[nonlin]

    def forward(self, x):
        small = self.pointwise(x)
        large = self.wide(self.nonlin(x))
        return torch.cat((small, large), dim=1)


def main():
    torch.manual_seed(18)
    stem = nn.Conv1d(2, 3, 3, padding=1)
    block = Inception(3, 4)
    block(stem(torch.randn(2, 2, 9))).std().backward()
    return {"stem": stem.weight.grad.clone(), "wide": block.wide.weight.grad.clone()}


if __name__ == "__main__":
    main()
