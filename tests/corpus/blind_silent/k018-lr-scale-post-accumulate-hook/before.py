import re
from functools import partial
from typing import Dict

import torch
import torch.nn as nn


def scale_grad(factor: float, grad: torch.Tensor) -> None:
    grad.mul_(factor)


class LayerwiseDecay:
    """Smaller updates for the lower blocks, as in ELECTRA and BEiT fine-tuning."""

    pattern = re.compile(r"blocks\.(\d+)\.")

    def __init__(self, net: nn.Module, decay: float):
        depth = len(net.blocks)
        self.factors: Dict[str, float] = {}
        self.handles = []
        for name, param in net.named_parameters():
            m = self.pattern.match(name)
            factor = decay ** (depth - int(m[1])) if m else 1.0
            self.factors[name] = factor
            if factor != 1.0:
                self.handles.append(param.register_post_accumulate_grad_hook(partial(scale_grad, factor)))

    def remove(self):
        for h in self.handles:
            h.remove()


class Encoder(nn.Module):
    def __init__(self, dim=5, depth=3):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim)) for _ in range(depth))
        self.head = nn.Linear(dim, 2)

    def forward(self, x):
        for block in self.blocks:
            x = x + torch.nn.functional.gelu(block(x))
        return self.head(x)


def main():
    torch.manual_seed(71)
    net = Encoder()
    LayerwiseDecay(net, decay=0.6)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.randn(8, 5), torch.randint(0, 2, (8,))
    for _ in range(2):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
