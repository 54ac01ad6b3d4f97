import torch
from torch import nn


class GatedResidual(nn.Module):
    def __init__(self, dim, act=nn.ReLU()):
        super().__init__()
        self.inp = nn.Linear(dim, dim)
        self.value, self.gate = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.act = act

    def forward(self, x):
        z = self.inp(x)
        value = self.value(self.act(z))
        gate = torch.sigmoid(self.gate(z))
        return gate * value + (1 - gate) * z


def main():
    torch.manual_seed(481)
    net = nn.Sequential(GatedResidual(4), GatedResidual(4))
    out = net(torch.randn(5, 4))
    out.pow(2).mean().backward()
    return {"out": out, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
