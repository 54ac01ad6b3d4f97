from dataclasses import dataclass, field
from typing import Dict, List

import numpy as np
import torch
import torch.nn as nn


@dataclass
class CalibrationPlot:
    bins: int = 4
    curves: Dict[str, List[float]] = field(default_factory=dict)

    def add(self, tag: str, prob: torch.Tensor) -> None:
        arr = prob.detach().cpu().numpy().copy()
        arr = arr.reshape(-1)
        arr = np.sort(arr)
        arr = np.where(np.arange(len(arr)) < len(arr) // 10, 0.0, arr)
        self.curves[tag] = [float(part.mean()) for part in np.array_split(arr, self.bins)]


class Risk(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, 6), nn.Tanh(), nn.Linear(6, 1), nn.Sigmoid())

    def forward(self, x):
        return self.f(x).squeeze(1)


def step(net, x, y, plot):
    prob = net(x)
    brier = (prob - y).square().mean()
    plot.add("train", prob)
    brier.backward()


def main():
    torch.manual_seed(11)
    net, plot = Risk(4), CalibrationPlot()
    step(net, torch.randn(20, 4), torch.randint(0, 2, (20,)).float(), plot)
    return {"curve": torch.tensor(plot.curves["train"]), **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
