import torch
from torch import nn


def pgd(net, x, y, eps=0.3, alpha=0.1, steps=3):
    delta = torch.empty_like(x).uniform_(-eps, eps).requires_grad_()
    for _ in range(steps):
        loss = nn.functional.cross_entropy(net(x + delta), y)
        grad, = torch.autograd.grad(loss, delta)
        moved = (delta.detach() + alpha * grad.sign()).clamp(-eps, eps)
        delta = ((moved + x).clamp(-2, 2) - x).requires_grad_()
    return (x + delta).detach()


def main():
    torch.manual_seed(155)
    net = nn.Sequential(nn.Linear(4, 6), nn.Mish(), nn.Linear(6, 3))
    x, y = torch.randn(5, 4), torch.randint(0, 3, (5,))
    adv = pgd(net, x, y)
    net.zero_grad()
    nn.functional.cross_entropy(net(adv), y).backward()
    return {"adv": adv, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
