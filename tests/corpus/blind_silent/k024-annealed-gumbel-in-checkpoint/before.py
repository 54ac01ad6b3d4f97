import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint


class Annealed(nn.Module):
    tau: torch.Tensor

    def __init__(self, start: float, rate: float, floor: float):
        super().__init__()
        self.register_buffer("tau", torch.tensor(start))
        self.rate, self.floor = rate, floor

    def tick(self) -> None:
        self.tau.mul_(self.rate).clamp_(min=self.floor)

    def forward(self, logits):
        if self.training:
            self.tick()
        return (logits / self.tau).softmax(-1)


class Codebook(nn.Module):
    def __init__(self, dim, entries):
        super().__init__()
        self.score = nn.Linear(dim, entries)
        self.select = Annealed(2.0, 0.7, 0.1)
        self.vectors = nn.Parameter(torch.randn(entries, dim))

    def forward(self, x):
        return self.select(self.score(x)) @ self.vectors


class Tokenizer(nn.Module):
    def __init__(self, dim=4, levels=2, entries=5):
        super().__init__()
        self.levels = nn.ModuleList(Codebook(dim, entries) for _ in range(levels))

    def forward(self, x):
        residual, total = x, torch.zeros_like(x)
        for level in self.levels:
            quant = checkpoint(level, residual, use_reentrant=False)
            residual, total = residual - quant, total + quant
        return total


def main():
    torch.manual_seed(101)
    net = Tokenizer()
    x = torch.randn(9, 4)
    (net(x) - x).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
