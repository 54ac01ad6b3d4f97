from torch import nn

from .base import BaseStage


class ConvStage(BaseStage):
    def make_body(self):
        return nn.Sequential(
            nn.Conv2d(self.ch, self.ch, 3, padding=1),
            nn.BatchNorm2d(self.ch),
            nn.ReLU(inplace=True),
            nn.Conv2d(self.ch, self.ch, 1),
        )

    def post(self, y, x):
        y += x
        return y
