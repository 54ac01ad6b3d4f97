import numpy as np
import torch
import torch.nn as nn


def fit_classifier(x, y, epochs=25):
    net = nn.Sequential(nn.Linear(x.size(1), 16), nn.ReLU(), nn.Linear(16, 2))
    opt = torch.optim.Adam(net.parameters(), lr=0.05)
    for _ in range(epochs):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    return net.eval()


@torch.no_grad()
def log_loss(net, x, y):
    return nn.functional.cross_entropy(net(x), y).item()


def permutation_importance(net, x, y, repeats, rng):
    base = log_loss(net, x, y)
    result = []
    for j in range(x.size(1)):
        drops = []
        shuffled = x
        column = shuffled[:, j].numpy()
        for _ in range(repeats):
            rng.shuffle(column)
            drops.append(log_loss(net, shuffled, y) - base)
        result.append(np.mean(drops))
    return torch.tensor(result)


def main():
    torch.manual_seed(24)
    x = torch.randn(40, 4)
    y = (x[:, 0] + 0.5 * x[:, 2] > 0).long()
    net = fit_classifier(x, y)
    importance = permutation_importance(net, x, y, repeats=3, rng=np.random.default_rng(0))
    return {"importance": importance}


if __name__ == "__main__":
    main()
