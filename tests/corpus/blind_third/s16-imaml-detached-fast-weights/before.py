import torch
import torch.nn as nn
from torch.func import functional_call


def inner_solve(net, x, y, lr=0.2, steps=3):
    """Plain SGD from the meta parameters; the result is treated as a constant."""
    fast = {n: p.detach().requires_grad_() for n, p in net.named_parameters()}
    for _ in range(steps):
        loss = nn.functional.mse_loss(functional_call(net, fast, (x,)), y)
        grads = torch.autograd.grad(loss, tuple(fast.values()))
        with torch.no_grad():
            for w, g in zip(fast.values(), grads):
                w.sub_(g, alpha=lr)
    return {n: w.detach() for n, w in fast.items()}


def meta_loss(net, task, lam=0.5):
    xs, ys, xq, yq = task
    phi = inner_solve(net, xs, ys)
    prox = sum((p - phi[n]).pow(2).sum() for n, p in net.named_parameters())
    return nn.functional.mse_loss(net(xq), yq) + 0.5 * lam * prox


def main():
    torch.manual_seed(116)
    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    opt.zero_grad()
    for _ in range(2):
        task = torch.randn(5, 2), torch.randn(5, 1), torch.randn(5, 2), torch.randn(5, 1)
        meta_loss(net, task).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
