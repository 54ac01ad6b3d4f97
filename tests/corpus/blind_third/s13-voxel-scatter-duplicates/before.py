import torch
import torch.nn as nn


class PointPillars(nn.Module):
    def __init__(self, cells=4, feat=5):
        super().__init__()
        self.cells, self.feat = cells, feat
        self.point_mlp = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, feat))
        self.conv = nn.Conv2d(feat, 2, 3, padding=1)

    def voxel_index(self, xyz):
        ij = ((xyz[:, :2] + 1) / 2 * self.cells).long().clamp_(0, self.cells - 1)
        return ij[:, 0] * self.cells + ij[:, 1]

    def forward(self, xyz):
        f = self.point_mlp(xyz)
        idx = self.voxel_index(xyz)[:, None].expand_as(f)
        canvas = torch.zeros(self.cells ** 2, self.feat)
        canvas.scatter_(0, idx, f)
        grid = canvas.t().view(1, self.feat, self.cells, self.cells)
        return self.conv(grid)


def main():
    torch.manual_seed(113)
    net = PointPillars()
    cloud = torch.rand(24, 3) * 2 - 1
    target = torch.randn(1, 2, 4, 4)
    nn.functional.mse_loss(net(cloud), target).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
