import torch
from torch import nn


def place(canvas, column, values):
    canvas[:, column] = values


class ExpertTable(nn.Module):
    def __init__(self, dim, experts):
        super().__init__()
        self.base = nn.Linear(dim, experts)
        self.experts = nn.ModuleList(nn.Linear(dim, 1) for _ in range(experts))

    def forward(self, x, active):
        scores = self.base(x)
        for i, expert in enumerate(self.experts):
            if i in active:
                place(scores, i, expert(x).squeeze(1))
        return scores


def main():
    torch.manual_seed(571)
    table = ExpertTable(3, 4)
    scores = table(torch.randn(5, 3), active={1, 3})
    nn.functional.cross_entropy(scores, torch.randint(0, 4, (5,))).backward()
    return {n: torch.zeros_like(p) if p.grad is None else p.grad for n, p in table.named_parameters()}


if __name__ == "__main__":
    main()
