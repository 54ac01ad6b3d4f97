import torch.nn as nn

from .blocks import GateBlock


class GatedNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        w = cfg["width"]
        self.stem = nn.Conv2d(3, w, 3, padding=1)
        self.blocks = nn.Sequential(*[GateBlock(w, cfg["act"], cfg["gate"]) for _ in range(cfg["n_blocks"])])
        self.head = nn.Linear(w, cfg["n_classes"])

    def forward(self, x):
        x = self.stem(x)
        x = self.blocks(x)
        return self.head(x.mean(dim=(2, 3)))


def build_model(cfg):
    return GatedNet(cfg)
