import torch
from torch import nn


def pgd(model, x, y, eps=0.3, alpha=0.1, steps=3):
    adv = x.clone().detach()
    adv += torch.empty_like(adv).uniform_(-eps, eps)
    for _ in range(steps):
        adv.requires_grad_(True)
        loss = nn.functional.cross_entropy(model(adv), y)
        (grad,) = torch.autograd.grad(loss, adv)
        adv = (adv.detach() + alpha * grad.sign()).clamp(x - eps, x + eps)
    return adv


def main():
    torch.manual_seed(15)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    x, y = torch.rand(5, 4), torch.randint(0, 3, (5,))
    adv = pgd(model, x, y)
    nn.functional.cross_entropy(model(adv), y).backward()
    return {"adv": adv, **{n: p.grad.clone() for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
