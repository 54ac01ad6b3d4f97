import torch
from torch import nn


def perturb(net, x, y, eps=0.3, step=0.1, n=3):
    adv = x.clone().detach()
    adv.add_(torch.empty_like(adv).uniform_(-eps, eps))
    for _ in range(n):
        adv.requires_grad_(True)
        with torch.enable_grad():
            loss = nn.functional.cross_entropy(net(adv), y)
        grad = torch.autograd.grad(loss, adv)[0]
        adv = adv.detach()
        adv = adv + step * grad.sign()
        adv = torch.min(torch.max(adv, x - eps), x + eps).clamp(-2, 2)
    return adv


def main():
    torch.manual_seed(675)
    net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3))
    x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
    adv = perturb(net, x, y)
    loss = nn.functional.cross_entropy(net(adv), y) + (net(x) - net(adv)).square().mean()
    loss.backward()
    return {"adv": adv, "x": x, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
