import torch
from torch import nn


class Projector(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(d_in, d_out), nn.ReLU(), nn.Linear(d_out, d_out))

    def forward(self, x):
        z = self.layers(x)
        z.data = z.data / z.data.norm(dim=1, keepdim=True)
        return z


def info_nce(za, zb, temp=0.2):
    sim = za @ zb.t() / temp
    return nn.functional.cross_entropy(sim, torch.arange(len(za)))


def main():
    torch.manual_seed(91)
    proj = Projector(4, 3)
    views = [torch.randn(5, 4) for _ in range(2)]
    info_nce(*map(proj, views)).backward()
    return {n: p.grad for n, p in proj.named_parameters()}


if __name__ == "__main__":
    main()
