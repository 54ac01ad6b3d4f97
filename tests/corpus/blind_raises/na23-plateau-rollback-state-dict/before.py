import copy

import torch
from torch import nn


class BestKeeper:
    def __init__(self, model, patience=0, factor=1.2):
        self.model = model
        self.best = float("inf")
        self.weights = copy.deepcopy(model.state_dict())
        self.patience, self.factor, self.bad = patience, factor, 0

    def update(self, loss):
        if loss < self.best:
            self.best, self.bad = loss, 0
            self.weights = copy.deepcopy(self.model.state_dict())
            return False
        if loss > self.factor * self.best:
            self.bad += 1
        if self.bad > self.patience:
            self.model.load_state_dict(self.weights)
            self.bad = 0
            return True
        return False


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 8), nn.Linear(8, 8), nn.Linear(8, 1)])

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


def train(model, batches, lr):
    keeper = BestKeeper(model)
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    rollbacks = 0
    for x, y in batches:
        loss = (model(x) - y).square().mean()
        opt.zero_grad()
        if keeper.update(loss.item()):
            rollbacks += 1
        loss.backward()
        opt.step()
    return rollbacks


def main():
    torch.manual_seed(0)
    model = Regressor()
    batches = [(torch.randn(6, 3) * s, torch.randn(6, 1) * s) for s in (1.0, 1.0, 5.0)]
    rollbacks = train(model, batches, lr=0.05)
    return {"rollbacks": torch.tensor(rollbacks), **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
