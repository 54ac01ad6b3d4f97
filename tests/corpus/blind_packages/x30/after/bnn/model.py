from torch import nn


class BinaryMLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.Hardtanh(inplace=True)]
        layers.pop()
        self.net = nn.Sequential(*layers)

    def binary_parameters(self):
        for m in self.net:
            if isinstance(m, nn.Linear):
                yield m.weight

    def forward(self, x):
        return self.net(x)
