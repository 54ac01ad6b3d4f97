import torch
from torch import nn


class GradStats:
    def __init__(self):
        self.norms, self.peak = [], torch.zeros(())

    def __call__(self, grad):
        self.norms += [grad.norm().item()]
        self.peak = torch.maximum(self.peak, grad.abs().max())


def mask_rows(rows):
    def hook(grad):
        return grad.index_fill(0, torch.tensor(rows), 0.0)
    return hook


def main():
    torch.manual_seed(255)
    a, b = nn.Linear(3, 4), nn.Linear(3, 4)
    stats = GradStats()
    a.weight.register_hook(mask_rows([0, 2]))
    x = torch.randn(5, 3)
    h = a(x)
    h.register_hook(stats)
    out = h + b(x)
    out.square().mean().backward()
    return {"a": a.weight.grad, "b": b.weight.grad, "peak": stats.peak, "norms": torch.tensor(stats.norms)}


if __name__ == "__main__":
    main()
