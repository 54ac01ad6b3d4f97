import torch
import torch.nn.functional as F
from torch import nn


def nt_xent(z, temperature=0.5):
    z = F.normalize(z, dim=1)
    sim = (z @ z.T) / temperature
    sim = sim.masked_fill(torch.eye(len(z), dtype=torch.bool), float("-inf"))
    n = len(z) // 2
    positives = torch.cat([sim.diagonal(n), sim.diagonal(-n)])
    return (torch.logsumexp(sim, dim=1) - positives).mean()


def main():
    torch.manual_seed(5)
    encoder = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Linear(8, 4))
    x = torch.randn(4, 6)
    views = torch.cat([x + 0.1 * torch.randn_like(x) for _ in range(2)])
    nt_xent(encoder(views)).backward()
    return {n: p.grad.clone() for n, p in encoder.named_parameters()}


if __name__ == "__main__":
    main()
