import copy
import torch
import torch.nn as nn


class EarlyStopping:
    def __init__(self, patience=2):
        self.patience, self.bad = patience, 0
        self.best_score, self.best_state = float("inf"), None

    def update(self, score, model):
        if score < self.best_score:
            self.best_score, self.bad = score, 0
            self.best_state = model.state_dict()
        else:
            self.bad += 1
        return self.bad >= self.patience


def fit(model, train, valid, epochs=12, lr=0.9):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    stopper = EarlyStopping()
    for _ in range(epochs):
        model.train()
        opt.zero_grad()
        nn.functional.mse_loss(model(train[0]), train[1]).backward()
        opt.step()
        model.eval()
        with torch.no_grad():
            score = nn.functional.mse_loss(model(valid[0]), valid[1]).item()
        if stopper.update(score, model):
            break
    model.load_state_dict(stopper.best_state)
    return model, stopper


def main():
    torch.manual_seed(108)
    w = torch.randn(5, 1)
    xs = torch.randn(40, 5)
    ys = xs @ w + 0.5 * torch.randn(40, 1)
    model, stopper = fit(nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1)), (xs[:20], ys[:20]), (xs[20:], ys[20:]))
    model.zero_grad()
    nn.functional.mse_loss(model(xs[20:]), ys[20:]).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
