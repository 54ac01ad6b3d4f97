from functools import partial

import torch
from torch import nn
import torch.nn.functional as F


def multi_apply(func, *args, **kwargs):
    pfunc = partial(func, **kwargs) if kwargs else func
    return tuple(map(list, zip(*map(pfunc, *args))))


class AnchorFreeHead(nn.Module):
    strides = (4, 8)

    def __init__(self, channels, classes):
        super().__init__()
        self.cls_tower = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.GroupNorm(2, channels), nn.ReLU())
        self.reg_tower = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.GroupNorm(2, channels), nn.ReLU())
        self.cls = nn.Conv2d(channels, classes, 3, padding=1)
        self.reg = nn.Conv2d(channels, 4, 3, padding=1)
        self.scales = nn.Parameter(torch.ones(len(self.strides)))

    def forward(self, feats):
        return multi_apply(self.forward_single, feats, self.scales, self.strides)

    def forward_single(self, x, scale, stride):
        cls_score = self.cls(self.cls_tower(x))
        return cls_score, self.reg(self.reg_tower(x)) * scale


class FCOSHead(AnchorFreeHead):
    def __init__(self, channels, classes, norm_on_bbox=True):
        super().__init__(channels, classes)
        self.centerness = nn.Conv2d(channels, 1, 3, padding=1)
        self.norm_on_bbox = norm_on_bbox

    def forward_single(self, x, scale, stride):
        cls_score, bbox_pred = super().forward_single(x, scale, stride)
        if self.norm_on_bbox:
            bbox_pred = F.relu(bbox_pred)
            if self.training:
                bbox_pred *= stride
        else:
            bbox_pred = bbox_pred.exp()
        return cls_score, bbox_pred, self.centerness(self.reg_tower(x))


def main():
    torch.manual_seed(0)
    head = FCOSHead(4, 3)
    feats = [torch.randn(1, 4, 4, 4), torch.randn(1, 4, 2, 2)]
    scores, boxes, centers = head(feats)
    loss = sum(s.sigmoid().mean() + b.abs().mean() + c.square().mean() for s, b, c in zip(scores, boxes, centers))
    loss.backward()
    return {n: p.grad for n, p in head.named_parameters()}


if __name__ == "__main__":
    main()
