import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Centering(nn.Module):
    def __init__(self, dim, momentum=0.5):
        super().__init__()
        self.register_buffer("centre", torch.zeros(dim))
        self.momentum = momentum

    def forward(self, x):
        with torch.no_grad():
            self.centre.lerp_(x.mean(0), self.momentum)
        return x - self.centre


class Trunk(nn.Sequential):
    def forward(self, x):
        for part in self:
            x = part(x)
        return x


def main():
    torch.manual_seed(551)
    trunk = Trunk(nn.Sequential(nn.Linear(3, 4), Centering(4), nn.Tanh()), nn.Linear(4, 2))
    for _ in range(2):
        trunk.zero_grad()
        trunk(torch.randn(6, 3) + 1).square().mean().backward()
    return {"centre": trunk[0][1].centre, **{n: p.grad for n, p in trunk.named_parameters()}}


if __name__ == "__main__":
    main()
