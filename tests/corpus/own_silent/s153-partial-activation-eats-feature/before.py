from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

ACTIVATIONS = {
    "relu": F.relu,
    "lrelu": partial(F.leaky_relu, negative_slope=0.2, inplace=True),
}


class PyramidHead(nn.Module):
    def __init__(self, ch, act="lrelu"):
        super().__init__()
        self.act = ACTIVATIONS[act]
        self.cls, self.reg = nn.Conv2d(ch, 2, 1), nn.Conv2d(ch, 4, 1)

    def forward(self, feature):
        classes = self.cls(self.act(feature))
        boxes = self.reg(feature)
        return classes, boxes


def main():
    torch.manual_seed(491)
    lateral, head = nn.Conv2d(2, 3, 1), PyramidHead(3)
    classes, boxes = head(lateral(torch.randn(2, 2, 4, 4)))
    (classes.logsumexp(1).mean() + boxes.abs().mean()).backward()
    return {"boxes": boxes, "lateral": lateral.weight.grad, "reg": head.reg.weight.grad}


if __name__ == "__main__":
    main()
