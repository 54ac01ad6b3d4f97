from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


class ContrastiveLoss(nn.Module):
    def __init__(self, temperature: float):
        super().__init__()
        self.register_buffer("_temp", torch.tensor(temperature))

    @property
    def temperature(self) -> float:
        return float(self._temp)

    @temperature.setter
    def temperature(self, value: float) -> None:
        self._temp = torch.full_like(self._temp, value)

    @contextmanager
    def at(self, value: float):
        old = self.temperature
        self.temperature = value
        yield self
        self.temperature = old

    def forward(self, a, b):
        logits = F.normalize(a, dim=1) @ F.normalize(b, dim=1).t() / self._temp
        target = torch.arange(len(a))
        return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target))


class TwoTower(nn.Module):
    def __init__(self, d_text, d_image, d):
        super().__init__()
        self.text, self.image = nn.Linear(d_text, d), nn.Linear(d_image, d)


def main():
    torch.manual_seed(227)
    net, criterion = TwoTower(5, 7, 4), ContrastiveLoss(0.2)
    text, image = net.text(torch.randn(6, 5)), net.image(torch.randn(6, 7))
    total = criterion(text, image)
    with criterion.at(0.8):
        total = total + criterion(text.roll(1, 1), image.roll(1, 1))
    criterion.temperature = 0.5
    total.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
