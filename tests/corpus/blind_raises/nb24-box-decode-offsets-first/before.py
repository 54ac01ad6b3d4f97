from typing import List, NamedTuple

import torch
from torch import Tensor, nn


class Prediction(NamedTuple):
    boxes: Tensor
    objectness: Tensor


def make_grid(h: int, w: int) -> Tensor:
    ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    return torch.stack((xs, ys), dim=-1).float()


def decode(reg: Tensor, stride: int) -> Tensor:
    reg = reg.permute(0, 2, 3, 1)
    reg[..., :2] += make_grid(*reg.shape[1:3])
    reg[..., :2] *= stride
    reg[..., 2:].exp_()
    return reg.flatten(1, 2)


class DecoupledHead(nn.Module):
    def __init__(self, channels: int, strides: List[int]):
        super().__init__()
        self.strides = strides
        self.stems = nn.ModuleList(nn.Conv2d(channels, channels, 3, padding=1) for _ in strides)
        self.reg = nn.ModuleList(nn.Conv2d(channels, 4, 1) for _ in strides)
        self.obj = nn.ModuleList(nn.Conv2d(channels, 1, 1) for _ in strides)

    def forward(self, feats: List[Tensor]) -> Prediction:
        boxes, scores = [], []
        for f, stride, stem, reg, obj in zip(feats, self.strides, self.stems, self.reg, self.obj):
            f = nn.functional.silu(stem(f))
            boxes.append(decode(reg(f), stride))
            scores.append(obj(f).flatten(1))
        return Prediction(torch.cat(boxes, dim=1), torch.cat(scores, dim=1))


def iou_loss(boxes: Tensor, target: Tensor) -> Tensor:
    lo = torch.maximum(boxes[..., :2] - boxes[..., 2:] / 2, target[..., :2] - target[..., 2:] / 2)
    hi = torch.minimum(boxes[..., :2] + boxes[..., 2:] / 2, target[..., :2] + target[..., 2:] / 2)
    inter = (hi - lo).clamp(min=0).prod(dim=-1)
    union = boxes[..., 2:].prod(dim=-1) + target[..., 2:].prod(dim=-1) - inter
    return (1 - inter / union).mean()


def main():
    torch.manual_seed(0)
    head = DecoupledHead(4, [4, 8])
    pred = head([torch.randn(1, 4, 4, 4), torch.randn(1, 4, 2, 2)])
    target = torch.cat([16 * torch.rand(1, 20, 2), 4 + 4 * torch.rand(1, 20, 2)], dim=-1)
    (iou_loss(pred.boxes, target) + pred.objectness.sigmoid().mean()).backward()
    return {n: p.grad for n, p in head.named_parameters()}


if __name__ == "__main__":
    main()
