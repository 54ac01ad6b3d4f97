from itertools import product

import torch
import torch.nn as nn


class BilinearSplat(nn.Module):
    """Rasterises points with bilinear weights."""

    def __init__(self, side: int):
        super().__init__()
        self.side = side

    def forward(self, xy, values):
        pos = xy.clamp(0, 1) * (self.side - 1.001)
        base = pos.floor()
        frac = pos - base
        canvas = values.new_zeros(self.side, self.side)
        for dx, dy in product((0, 1), repeat=2):
            wx = frac[:, 0] if dx else 1 - frac[:, 0]
            wy = frac[:, 1] if dy else 1 - frac[:, 1]
            col, row = (base[:, 0] + dx).long(), (base[:, 1] + dy).long()
            canvas = canvas.index_put((row, col), wx * wy * values, accumulate=True)
        return canvas


class Stroke(nn.Module):
    def __init__(self, points):
        super().__init__()
        self.xy = nn.Parameter(torch.rand(points, 2))
        self.ink = nn.Parameter(torch.rand(points))
        self.raster = BilinearSplat(4)

    def forward(self):
        return self.raster(self.xy, self.ink.exp())


def main():
    torch.manual_seed(71)
    stroke = Stroke(12)
    target = torch.eye(4)
    (stroke() - target).square().sum().backward()
    return {n: p.grad for n, p in stroke.named_parameters()}


if __name__ == "__main__":
    main()
