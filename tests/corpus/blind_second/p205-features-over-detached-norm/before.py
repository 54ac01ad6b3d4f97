import torch
import torch.nn as nn


def unit_scale(feats, eps=1e-6):
    with torch.no_grad():
        length = feats.norm(dim=-1, keepdim=True) + eps
    feats /= length
    return feats


class Tower(nn.Module):
    def __init__(self, inputs, hidden, dim):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(inplace=True))
        self.out = nn.Linear(hidden, dim)

    def forward(self, x):
        return unit_scale(self.out(self.body(x)))


class TwoTower(nn.Module):
    """User and item towers with in-batch negatives."""

    def __init__(self, users, items, dim=6, margin=0.2):
        super().__init__()
        self.user, self.item = Tower(users, 10, dim), Tower(items, 10, dim)
        self.margin = margin

    def forward(self, u, i):
        scores = self.user(u) @ self.item(i).t()
        positive = scores.diagonal().unsqueeze(1)
        hinge = (self.margin - positive + scores).clamp(min=0)
        return (hinge - hinge.diagonal().diag()).mean()


def main():
    torch.manual_seed(85)
    model = TwoTower(5, 7)
    loss = model(torch.randn(6, 5), torch.randn(6, 7))
    loss.backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
