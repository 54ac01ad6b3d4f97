import numpy as np
import torch
import torch.nn as nn


class Surrogate(nn.Module):
    def __init__(self, knobs, width=6):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(knobs, width), nn.CELU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


class History(list):
    def last(self, key):
        return self[-1][key]


def fit(model, loader, lr, history):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    for x, y in loader:
        pred = model(x)
        loss = nn.functional.mse_loss(pred, y)
        ref = np.array(y)
        ref -= ref.mean()
        history.append({"loss": loss.item(), "r2": 1 - loss.item() * len(ref) / float((ref ** 2).sum())})
        opt.zero_grad()
        loss.backward()
        opt.step()
    return model


def main():
    torch.manual_seed(331)
    x = torch.rand(4, 8, 3)
    y = 2 + x.pow(2).sum(-1)
    history = History()
    model = fit(Surrogate(3), list(zip(x, y)), lr=0.1, history=history)
    out = {n: p.detach().clone() for n, p in model.named_parameters()}
    out["r2"] = torch.tensor(history.last("r2"))
    return out


if __name__ == "__main__":
    main()
