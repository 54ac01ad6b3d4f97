import torch
from torch import nn


class RayBundle:
    def __init__(self, origins, directions, near=0.5, far=2.0):
        self.origins, self.directions = origins, directions
        self.near, self.far = near, far

    def sample(self, n):
        t = torch.linspace(self.near, self.far, n)
        return self.origins[:, None] + self.directions[:, None] * t[:, None], t

    def __len__(self):
        return self.origins.shape[0]


class RadianceField(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.trunk = nn.Linear(3, width)
        self.sigma = nn.Linear(width, 1)
        self.rgb = nn.Linear(width, 3)

    def forward(self, xyz):
        h = nn.functional.leaky_relu(self.trunk(xyz), 0.1)
        return nn.functional.softplus(self.sigma(h)).squeeze(-1), self.rgb(h).sigmoid()


def exclusive_cumprod(x):
    out = torch.cumprod(x, dim=-1)
    return torch.cat([torch.ones_like(out[..., :1]), out[..., :-1]], dim=-1)


def composite(sigma, rgb, t):
    delta = t[1:] - t[:-1]
    delta = torch.cat([delta, delta[-1:]])
    alpha = 1 - torch.exp(-sigma * delta)
    weights = alpha * exclusive_cumprod(1 - alpha + 1e-10)
    return (weights.unsqueeze(-1) * rgb).sum(-2), (weights * t).sum(-1)


def render(field, rays, samples=5):
    xyz, t = rays.sample(samples)
    return composite(*field(xyz), t)


def main():
    torch.manual_seed(0)
    field = RadianceField()
    directions = nn.functional.normalize(torch.randn(6, 3), dim=-1)
    colour, depth = render(field, RayBundle(torch.zeros(6, 3), directions))
    ((colour - torch.rand(6, 3)).square().mean() + 0.01 * depth.mean()).backward()
    return {n: p.grad for n, p in field.named_parameters()}


if __name__ == "__main__":
    main()
