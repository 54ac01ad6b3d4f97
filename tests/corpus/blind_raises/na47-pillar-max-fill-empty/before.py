import torch
from torch import nn


class PillarGrid:
    def __init__(self, extent, cells):
        self.extent, self.cells = extent, cells

    @property
    def num(self):
        return self.cells * self.cells

    def index(self, xyz):
        ij = ((xyz[:, :2] + self.extent) / (2 * self.extent) * self.cells).long().clamp(0, self.cells - 1)
        return ij[:, 0] * self.cells + ij[:, 1]

    def offsets(self, xyz, index):
        centre = torch.stack([index // self.cells, index % self.cells], dim=1) + 0.5
        return xyz[:, :2] - (centre / self.cells * 2 - 1) * self.extent


class PillarFeatureNet(nn.Module):
    def __init__(self, grid, channels):
        super().__init__()
        self.grid = grid
        self.linear = nn.Linear(5, channels, bias=False)
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, xyz):
        index = self.grid.index(xyz)
        feats = self.norm(self.linear(torch.cat([xyz, self.grid.offsets(xyz, index)], dim=1)))
        canvas = feats.new_full((self.grid.num, feats.shape[1]), float("-inf"))
        canvas = canvas.scatter_reduce(0, index.unsqueeze(1).expand_as(feats), feats, "amax")
        canvas[canvas == float("-inf")] = 0.0
        return canvas.t().reshape(1, -1, self.grid.cells, self.grid.cells)


class BEVDetector(nn.Module):
    def __init__(self):
        super().__init__()
        self.pillars = PillarFeatureNet(PillarGrid(2.0, 4), 6)
        self.backbone = nn.Conv2d(6, 4, 3, padding=1)
        self.heatmap = nn.Conv2d(4, 1, 1)

    def forward(self, points):
        feats = torch.cat([self.pillars(p) for p in points])
        return self.heatmap(torch.relu(self.backbone(feats)))


def main():
    torch.manual_seed(0)
    net = BEVDetector()
    clouds = [torch.randn(12, 3), torch.randn(9, 3)]
    target = torch.zeros(2, 1, 4, 4)
    nn.functional.binary_cross_entropy_with_logits(net(clouds), target).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
