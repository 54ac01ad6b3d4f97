import torch
import torch.nn as nn
from torch.func import functional_call


def adapt(net, fast, x, y, lr, steps):
    for _ in range(steps):
        inner = nn.functional.mse_loss(functional_call(net, fast, (x,)), y)
        grads = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
        for (name, w), g in zip(fast.items(), grads):
            fast[name] = w - lr * g
    return fast


def main():
    torch.manual_seed(20)
    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    meta = 0.0
    for task in range(2):
        x = torch.randn(6, 2)
        y = x[:, :1] * (task + 1)
        fast = {k: v.clone() for k, v in net.named_parameters()}
        fast = adapt(net, fast, x[:3], y[:3], 0.1, 2)
        meta = meta + nn.functional.mse_loss(functional_call(net, fast, (x[3:],)), y[3:])
    meta.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
