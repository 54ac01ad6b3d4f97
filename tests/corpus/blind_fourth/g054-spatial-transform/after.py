import torch
import torch.nn as nn
import torch.nn.functional as F


class Warp(nn.Module):
    def __init__(self):
        super().__init__()
        self.loc = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 3))

    def theta(self, x):
        pose = self.loc(x)
        angle, tx, ty = (pose[:, i:i + 1] for i in range(3))
        c, s = torch.cos(angle), torch.sin(angle)
        tx, ty = tx * 0.1, ty * 0.1
        top = torch.cat([c, -s, tx], 1)
        bottom = torch.cat([s, c, ty], 1)
        return torch.stack([top, bottom], 1)

    def forward(self, x):
        grid = F.affine_grid(self.theta(x), list(x.shape), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)


def main():
    torch.manual_seed(63)
    net = Warp()
    x = torch.rand(2, 1, 4, 4)
    (net(x) - x.flip(-1)).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
