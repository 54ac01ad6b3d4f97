import torch
from torch import nn


def attack(net, x, y, eps, steps):
    adv = x.detach().clone()
    adv.requires_grad_()
    for _ in range(steps):
        loss = nn.functional.cross_entropy(net(adv), y)
        g, = torch.autograd.grad(loss, adv)
        adv.data.add_(eps * g.sign())
    return adv.detach()


def trades(net, x, y, beta):
    adv = attack(net, x, y, 0.2, 2)
    clean = net(x)
    robust = nn.functional.kl_div(net(adv).log_softmax(1), clean.softmax(1), reduction="batchmean")
    return nn.functional.cross_entropy(clean, y) + beta * robust


def main():
    torch.manual_seed(731)
    net = nn.Sequential(nn.Linear(4, 6), nn.Softplus(), nn.Linear(6, 3))
    loss = trades(net, torch.randn(5, 4), torch.randint(0, 3, (5,)), 6.0)
    loss.backward()
    return {"loss": loss, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
