import torch
from torch import nn


def windows(series, width):
    for t in range(len(series) - width):
        yield t, series[t : t + width] - series[t]


class Encoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 1)

    def features(self, series):
        rows = []
        for _, w in windows(series, self.fc.in_features):
            rows.append(w.clone())
        return torch.stack(rows)

    def energy(self, series):
        return sum(w.square().sum().item() for _, w in windows(series, self.fc.in_features))

    def forward(self, series):
        return self.fc(self.features(series))


def main():
    torch.manual_seed(555)
    series, net = torch.randn(12).cumsum(0), Encoder(4)
    energy = net.energy(series)
    (net(series).square().mean() / energy).backward()
    return {"energy": torch.tensor(energy), "weight": net.fc.weight.grad}


if __name__ == "__main__":
    main()
