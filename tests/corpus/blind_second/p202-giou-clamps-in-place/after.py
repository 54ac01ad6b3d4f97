import torch
import torch.nn as nn


def box_area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def extent(lo, hi):
    wh = hi - lo
    return wh.clamp(min=0)


def generalized_iou(a, b):
    wh = extent(torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:]))
    inter = wh[:, 0] * wh[:, 1]
    union = box_area(a) + box_area(b) - inter
    hull = extent(torch.minimum(a[:, :2], b[:, :2]), torch.maximum(a[:, 2:], b[:, 2:]))
    outer = hull[:, 0] * hull[:, 1]
    return inter / union - (outer - union) / outer


class BoxRegressor(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, 4))

    def forward(self, feats):
        cx, cy, w, h = self.mlp(feats).sigmoid().unbind(-1)
        return torch.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], dim=-1)


def main():
    torch.manual_seed(82)
    net = BoxRegressor(5, 8)
    target = torch.tensor([[0.1, 0.1, 0.6, 0.5], [0.4, 0.5, 0.9, 0.9], [0.0, 0.6, 0.1, 0.9]])
    boxes = net(torch.randn(3, 5))
    loss = (1 - generalized_iou(boxes, target)).mean() + nn.functional.l1_loss(boxes, target)
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
