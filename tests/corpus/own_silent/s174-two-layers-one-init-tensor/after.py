import torch
from torch import nn


class TwoTower(nn.Module):
    """User and item projections start from the same random matrix."""

    def __init__(self, dim, rank):
        super().__init__()
        start = torch.randn(dim, rank) / dim**0.5
        self.user = nn.Parameter(start)
        self.item = nn.Parameter(start.clone())

    def forward(self, u, i):
        return ((u @ self.user) * (i @ self.item)).sum(-1)


def fit(model, triples, lr=0.5):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    for u, i, r in triples:
        opt.zero_grad()
        nn.functional.mse_loss(model(u, i), r).backward()
        opt.step()
    return model


def main():
    torch.manual_seed(701)
    data = [(torch.randn(4, 3), torch.randn(4, 3), torch.randn(4)) for _ in range(3)]
    model = fit(TwoTower(3, 2), data)
    return {"user": model.user, "item": model.item}


if __name__ == "__main__":
    main()
