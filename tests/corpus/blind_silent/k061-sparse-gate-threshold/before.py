from typing import Dict

import torch
import torch.nn as nn


class GatedFusion(nn.Module):
    """Per-channel gates over several sensors; weak gates are closed for the report."""

    def __init__(self, sizes: Dict[str, int], dim: int, floor: float = 0.45):
        super().__init__()
        self.proj = nn.ModuleDict({k: nn.Linear(n, dim) for k, n in sizes.items()})
        self.gate = nn.ModuleDict({k: nn.Linear(n, dim) for k, n in sizes.items()})
        self.floor = floor
        self.report = {}

    def forward(self, inputs):
        fused = 0.0
        for name, x in inputs.items():
            gate = torch.sigmoid(self.gate[name](x))
            fused = fused + gate * self.proj[name](x)
            gate.data[gate < self.floor] = 0.0
            self.report[name] = (gate.detach() > 0).float().mean()
        return fused


class Policy(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.fusion, self.out = GatedFusion(sizes, 4), nn.Linear(4, 2)

    def forward(self, inputs):
        return self.out(torch.tanh(self.fusion(inputs)))


def main():
    torch.manual_seed(317)
    sizes = {"lidar": 5, "imu": 3}
    net = Policy(sizes)
    out = net({k: torch.randn(6, n) for k, n in sizes.items()})
    nn.functional.cross_entropy(out, torch.tensor([0, 1, 1, 0, 1, 0])).backward()
    return {**net.fusion.report, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
