from torch import nn


class SqueezeExcite(nn.Module):
    def __init__(self, ch, reduction):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(ch, ch // reduction, 1)
        self.relu = nn.ReLU(inplace=True)
        self.fc2 = nn.Conv2d(ch // reduction, ch, 1)
        self.sig = nn.Sigmoid()

    def forward(self, x):
        w = self.sig(self.fc2(self.relu(self.fc1(self.pool(x)))))
        return x * w
