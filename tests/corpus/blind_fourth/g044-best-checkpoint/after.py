import copy
import torch
import torch.nn as nn


class EarlyStopping:
    def __init__(self, patience=3):
        self.patience, self.best, self.state, self.bad = patience, float("inf"), None, 0

    def __call__(self, score, model):
        if score < self.best:
            self.best, self.bad = score, 0
            self.state = copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad >= self.patience


class Loop:
    def __init__(self, model, lr):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.stop = EarlyStopping()

    def run(self, train, val, epochs=8):
        for _ in range(epochs):
            self.opt.zero_grad()
            nn.functional.mse_loss(self.model(train[0]), train[1]).backward()
            self.opt.step()
            with torch.no_grad():
                score = nn.functional.mse_loss(self.model(val[0]), val[1]).item()
            if self.stop(score, self.model):
                break
        self.model.load_state_dict(self.stop.state)
        return self.model


def main():
    torch.manual_seed(49)
    x, v = torch.randn(6, 5), torch.randn(30, 5)
    model = Loop(nn.Linear(5, 1), 0.4).run((x, torch.randn(6, 1)), (v, torch.randn(30, 1)))
    return {"w": model.weight.detach(), "b": model.bias.detach()}


if __name__ == "__main__":
    main()
