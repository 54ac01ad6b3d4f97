import torch
from torch import nn


def gradients(net, loss):
    net.zero_grad()
    loss.backward(retain_graph=True)
    return [p.grad for p in net.parameters()]


def project(first, second):
    """Removes from the first gradient its conflict with the second."""
    dot = sum((a * b).sum() for a, b in zip(first, second))
    if dot >= 0:
        return first
    scale = dot / sum(b.pow(2).sum() for b in second)
    return [a - scale * b for a, b in zip(first, second)]


def main():
    torch.manual_seed(505)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    x = torch.randn(6, 3)
    out = net(x)
    a = gradients(net, out[:, 0].square().mean())
    b = gradients(net, (out[:, 1] - out[:, 0]).exp().mean())
    net.zero_grad()
    for p, g in zip(net.parameters(), project(a, b)):
        p.grad = g
    torch.optim.SGD(net.parameters(), lr=0.1).step()
    return {"a": a[0], "b": b[0], "w": net[0].weight}


if __name__ == "__main__":
    main()
