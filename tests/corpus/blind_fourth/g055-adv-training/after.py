import torch
import torch.nn as nn


def attack(net, x, y, eps=0.3, steps=3):
    delta = torch.zeros_like(x, requires_grad=True)
    kept = []
    for _ in range(steps):
        inp = x + delta
        loss = nn.functional.cross_entropy(net(inp) * delta.square().mean().add(1), y)
        g, = torch.autograd.grad(loss, delta, retain_graph=True)
        kept.append(loss)
        with torch.no_grad():
            delta = (delta + 0.1 * g.sign()).clamp(-eps, eps)
            delta.requires_grad_()
    return kept


def free_step(net, opt, x, y):
    losses = attack(net, x, y)
    opt.zero_grad()
    torch.stack(losses).mean().backward()
    opt.step()


def main():
    torch.manual_seed(64)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    free_step(net, opt, torch.randn(6, 4), torch.randint(0, 3, (6,)))
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
