from typing import List, NamedTuple

import torch
import torch.nn as nn


class Sample(NamedTuple):
    image: torch.Tensor
    crop: tuple


class AnchorGenerator:
    def __init__(self, stride: int, sizes):
        self.stride, self.sizes = stride, sizes

    def grid(self, side: int) -> torch.Tensor:
        c = (torch.arange(side) + 0.5) * self.stride
        cy, cx = torch.meshgrid(c, c, indexing="ij")
        return torch.stack([torch.stack([cx, cy, torch.full_like(cx, s)], -1) for s in self.sizes], -2).reshape(-1, 3)

    def __call__(self, samples: List[Sample], side: int) -> torch.Tensor:
        anchors = self.grid(side).unsqueeze(0).expand(len(samples), -1, -1)
        for i, s in enumerate(samples):
            anchors[i, :, :2] += torch.tensor(s.crop, dtype=torch.float32)
        return anchors


class TinyRPN(nn.Module):
    def __init__(self, gen: AnchorGenerator):
        super().__init__()
        self.gen = gen
        self.conv = nn.Conv2d(1, 3 * len(gen.sizes), 4, stride=4)

    def forward(self, samples):
        x = torch.stack([s.image for s in samples])
        delta = self.conv(x).permute(0, 2, 3, 1).reshape(len(samples), -1, 3)
        return self.gen(samples, side=x.size(-1) // 4) + delta


def main():
    torch.manual_seed(149)
    rpn = TinyRPN(AnchorGenerator(4, (2.0, 6.0)))
    samples = [Sample(torch.randn(1, 8, 8), crop) for crop in ((0, 0), (10, 4), (3, 20))]
    boxes = rpn(samples)
    goal = torch.rand(3, 1, 3) * 10
    nn.functional.smooth_l1_loss(boxes, goal.expand_as(boxes)).backward()
    return {"boxes": boxes, **{n: p.grad for n, p in rpn.named_parameters()}}


if __name__ == "__main__":
    main()
