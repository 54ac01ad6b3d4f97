import torch
from torch import nn


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.bad = patience, 0
        self.best, self.weights = float("inf"), None

    def update(self, score, model):
        if score < self.best:
            self.best, self.bad = score, 0
            self.weights = model.state_dict()
        else:
            self.bad += 1
        return self.bad >= self.patience


def fit(model, data, stopper, lr):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    for x, y in data:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
        with torch.no_grad():
            score = nn.functional.mse_loss(model(x), y).item()
        if stopper.update(score, model):
            break
    model.load_state_dict(stopper.weights)


def main():
    torch.manual_seed(381)
    model = nn.Linear(3, 1)
    x, y = torch.randn(6, 3), torch.randn(6, 1)
    stopper = EarlyStopping(patience=2)
    fit(model, [(x, y)] + [(x, 5 * y)] * 3 + [(x, -9 * y)] * 3, stopper, 0.4)
    return {"weight": model.weight, "bias": model.bias}


if __name__ == "__main__":
    main()
