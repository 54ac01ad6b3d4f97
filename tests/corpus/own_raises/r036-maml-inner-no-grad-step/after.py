import torch
import torch.nn.functional as F
from torch import nn


def adapt(net, support, lr):
    x, y = support
    loss = F.mse_loss(net(x), y)
    names = [n for n, _ in net.named_parameters()]
    grads = torch.autograd.grad(loss, tuple(net.parameters()), create_graph=True)
    fast = {n: p - lr * g for n, p, g in zip(names, net.parameters(), grads)}
    return loss, fast


def main():
    torch.manual_seed(42)
    net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    meta = torch.optim.Adam(net.parameters(), lr=1e-3)
    tasks = [(torch.randn(5, 1), torch.randn(5, 1)) for _ in range(2)]
    query = torch.randn(5, 1)

    meta_loss = torch.zeros(())
    for task in tasks:
        inner, fast = adapt(net, task, lr=0.05)
        adapted = torch.func.functional_call(net, fast, (query,))
        meta_loss = meta_loss + inner + F.mse_loss(adapted, query.sin())
    meta.zero_grad()
    meta_loss.backward()
    meta.step()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
