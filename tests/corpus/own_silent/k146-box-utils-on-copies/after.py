import torch
from torch import nn


def clip_boxes(boxes, height, width):
    limit = torch.tensor([width, height, width, height])
    return torch.minimum(boxes.clamp(min=0), limit)


def nms(boxes, scores, thresh):
    order = scores.argsort(descending=True)
    keep = torch.zeros(len(boxes), dtype=torch.bool)
    alive = torch.ones(len(boxes), dtype=torch.bool)
    for i in order.tolist():
        if not alive[i]:
            continue
        keep[i] = True
        lt, rb = torch.max(boxes[i, :2], boxes[:, :2]), torch.min(boxes[i, 2:], boxes[:, 2:])
        inter = (rb - lt).clamp(min=0).prod(1)
        area = (boxes[:, 2:] - boxes[:, :2]).prod(1)
        alive &= inter / (area + area[i] - inter) < thresh
    return keep


def main():
    torch.manual_seed(455)
    head = nn.Linear(5, 5)
    out = head(torch.randn(6, 5))
    corners = torch.cat([out[:, :2].sigmoid() * 8, out[:, :2].sigmoid() * 8 + out[:, 2:4].exp()], 1)
    boxes = clip_boxes(corners, 8, 8)
    keep = nms(boxes.detach(), out[:, 4].detach(), 0.5)
    (boxes[keep].sum() + corners.square().mean() + out[keep, 4].tanh().sum()).backward()
    return {"keep": keep, "weight": head.weight.grad}


if __name__ == "__main__":
    main()
