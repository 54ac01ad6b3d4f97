import torch
from torch import autograd, nn


class ImplicitSurface(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, width), nn.Softplus(beta=10), nn.Linear(width, 1))

    def forward(self, pts):
        return self.net(pts)


def normals(surface, pts):
    pts = pts.requires_grad_(True)
    sdf = surface(pts)
    direction, = autograd.grad(sdf.sum(), pts, create_graph=True)
    length = direction.norm(dim=-1, keepdim=True)
    direction /= length + 1e-6
    return sdf, direction, length


def main():
    torch.manual_seed(61)
    surface = ImplicitSurface()
    pts = torch.randn(10, 3)
    target = nn.functional.normalize(pts, dim=1)
    sdf, n, length = normals(surface, pts.clone())
    loss = sdf.abs().mean() + (n - target).square().sum(-1).mean() + 0.1 * (length - 1).square().mean()
    loss.backward()
    return {k: p.grad.clone() for k, p in surface.named_parameters() if p.grad is not None}


if __name__ == "__main__":
    main()
