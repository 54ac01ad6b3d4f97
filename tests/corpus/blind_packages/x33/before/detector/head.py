import torch
from torch import nn

from . import memory


class DetectionHead(nn.Module):
    def __init__(self, d, n_classes):
        super().__init__()
        self.cls = nn.Linear(d, n_classes)
        self.obj = nn.Linear(d, 1)

    def forward(self, x):
        return torch.sigmoid(self.cls(x)), torch.sigmoid(self.obj(x))


def detection_loss(head, feats, labels, assigner):
    prob, obj = head(feats)
    keep = labels >= 0

    target = memory.filled_like(prob, 0.05)
    target[keep, labels[keep]] = 0.9

    damp = memory.workspace(prob)
    damp *= 0.5
    damp.clamp_(max=0.4)

    pos = memory.pick_rows(prob, keep)
    pos += 0.01
    pos.mul_(2.0)

    cols = memory.transposed(prob)
    cols[0] = 0.0
    cols += obj.squeeze(1)

    joint = prob * obj
    sel = assigner(joint.detach())
    err = (joint - target).square()
    return err.mean() + damp.sum() * 0.1 + pos.log().mean() + (cols.sum(0) * sel).mean()
