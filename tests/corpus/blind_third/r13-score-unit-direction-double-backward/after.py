import torch
import torch.nn as nn


class EnergyNet(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 16), nn.Softplus(), nn.Linear(16, 16), nn.Softplus(), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def normal(self, x):
        x = x.detach().requires_grad_(True)
        e = self(x)
        (g,) = torch.autograd.grad(e.sum(), x, create_graph=True)
        norm = g.norm(dim=-1, keepdim=True)
        g = g / (norm + 1e-8)
        return e, g, norm.squeeze(-1)


def sdf_loss(model, pts, normals, lam=0.1):
    e, n, length = model.normal(pts)
    surface = e.abs().mean()
    align = (1 - (n * normals).sum(-1)).mean()
    eikonal = (length - 1).pow(2).mean()
    return surface + align + lam * eikonal


def main():
    torch.manual_seed(9)
    model = EnergyNet(3)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    pts = torch.randn(14, 3)
    normals = nn.functional.normalize(pts, dim=-1)
    opt.zero_grad()
    sdf_loss(model, pts, normals).backward()
    return {n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}


if __name__ == "__main__":
    main()
