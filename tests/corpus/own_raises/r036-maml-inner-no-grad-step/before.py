import torch
import torch.nn.functional as F
from torch import nn


def adapt(net, support, lr):
    x, y = support
    loss = F.mse_loss(net(x), y)
    grads = torch.autograd.grad(loss, tuple(net.parameters()), create_graph=True)
    with torch.no_grad():
        for p, g in zip(net.parameters(), grads):
            p.sub_(lr * g)
    return loss


def main():
    torch.manual_seed(42)
    net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    meta = torch.optim.Adam(net.parameters(), lr=1e-3)
    tasks = [(torch.randn(5, 1), torch.randn(5, 1)) for _ in range(2)]
    query = torch.randn(5, 1)

    meta_loss = torch.zeros(())
    for task in tasks:
        inner = adapt(net, task, lr=0.05)
        meta_loss = meta_loss + inner + F.mse_loss(net(query), query.sin())
    meta.zero_grad()
    meta_loss.backward()
    meta.step()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
