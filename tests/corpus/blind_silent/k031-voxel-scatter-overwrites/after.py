from typing import Tuple

import torch
import torch.nn as nn


class VoxelGrid:
    def __init__(self, lo: float, hi: float, cells: int):
        self.lo, self.cells = lo, cells
        self.size = (hi - lo) / cells

    def locate(self, points: torch.Tensor) -> torch.Tensor:
        ijk = ((points - self.lo) / self.size).long().clamp(0, self.cells - 1)
        return (ijk[:, 0] * self.cells + ijk[:, 1]) * self.cells + ijk[:, 2]

    @property
    def numel(self) -> int:
        return self.cells ** 3


def voxelise(grid: VoxelGrid, points: torch.Tensor, feats: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    cell = grid.locate(points)
    slots = cell.unsqueeze(1).expand_as(feats)
    volume = feats.new_zeros(grid.numel, feats.size(1))
    volume.scatter_add_(0, slots, feats)
    return volume, cell


class PillarNet(nn.Module):
    def __init__(self, grid, width=4):
        super().__init__()
        self.grid = grid
        self.point = nn.Sequential(nn.Linear(3, width), nn.ReLU())
        self.voxel = nn.Linear(width, 1)

    def forward(self, cloud):
        volume, cell = voxelise(self.grid, cloud, self.point(cloud))
        return self.voxel(volume)[cell].squeeze(1)


def main():
    torch.manual_seed(137)
    net = PillarNet(VoxelGrid(-1.0, 1.0, cells=2))
    cloud = torch.rand(20, 3) * 2 - 1
    (net(cloud) - cloud.norm(dim=1)).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
