import torch
from torch import nn

from .base import Base


class Net(Base):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)

    def mix(self, h):
        return self.norm(h)
