import torch.nn as nn

from .activations import make_act


class GateBlock(nn.Module):
    def __init__(self, ch, act, gate):
        super().__init__()
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(ch)
        self.act = make_act(act)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)
        self.gate = make_act(gate)

    def forward(self, x):
        h = self.act(self.bn1(self.conv1(x)))
        out = self.gate(self.conv2(h))
        out = out + x
        return out
