import torch
import torch.nn as nn
from torch.func import functional_call, grad


def objective(params, net, x, y):
    return nn.functional.mse_loss(functional_call(net, params, (x,)), y)


def inner_loop(net, x, y, lr=0.1, steps=2):
    fast = dict(net.named_parameters())
    for _ in range(steps):
        g = grad(objective)(fast, net, x, y)
        with torch.no_grad():
            for k in fast:
                fast[k].sub_(lr * g[k])
    return fast


def meta_gradient(net, tasks):
    total = {k: torch.zeros_like(v) for k, v in net.named_parameters()}
    for x, y in tasks:
        fast = inner_loop(net, x, y)
        g = grad(objective)(fast, net, x, y)
        total = {k: total[k] + g[k] / len(tasks) for k in total}
    return total


def main():
    torch.manual_seed(70)
    net = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))
    tasks = [(torch.randn(5, 2), torch.randn(5, 1)) for _ in range(3)]
    return meta_gradient(net, tasks)


if __name__ == "__main__":
    main()
