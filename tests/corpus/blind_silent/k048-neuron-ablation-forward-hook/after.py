from contextlib import ExitStack
from typing import Dict, List

import torch
import torch.nn as nn


class Ablation:
    """Silences units of named layers while attribution runs."""

    def __init__(self, net: nn.Module, units: Dict[str, List[int]]):
        self.net, self.units = net, units
        self._stack = ExitStack()

    def __enter__(self):
        for name, idx in self.units.items():
            module = self.net.get_submodule(name)
            handle = module.register_forward_hook(self._silence(torch.tensor(idx)))
            self._stack.callback(handle.remove)
        return self

    def __exit__(self, *exc):
        self._stack.close()

    def _silence(self, idx):
        def hook(module, args, output):
            return output.index_fill(1, idx, 0.25)
        return hook


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.lower = nn.Sequential(nn.Linear(4, 6), nn.Sigmoid())
        self.upper = nn.Sequential(nn.Linear(6, 5), nn.Sigmoid())
        self.out = nn.Linear(5, 1)

    def forward(self, x):
        return self.out(self.upper(self.lower(x)))


def attribution(net, x):
    x = x.clone().requires_grad_()
    (grad,) = torch.autograd.grad(net(x).sum(), x)
    return grad * x.detach()


def main():
    torch.manual_seed(229)
    net = Probe()
    x = torch.randn(5, 4)
    plain = attribution(net, x)
    with Ablation(net, {"lower": [1, 4], "upper": [0]}):
        ablated = attribution(net, x)
    return {"plain": plain, "ablated": ablated}


if __name__ == "__main__":
    main()
