import torch
import torch.nn as nn


def total_norm(gs):
    return torch.sqrt(sum(g.pow(2).sum() for g in gs))


def clip_list(gs, limit):
    scale = (limit / (total_norm(gs).detach() + 1e-6)).clamp(max=1.0)
    return [g * scale for g in gs]


def sharpness_step(net, x, y, lam, limit):
    params = list(net.parameters())
    loss = nn.functional.cross_entropy(net(x), y)
    gs = torch.autograd.grad(loss, params, create_graph=True)
    penalty = lam * total_norm(gs)
    clipped = clip_list(gs, limit)
    second = torch.autograd.grad(penalty, params)
    with torch.no_grad():
        for p, a, b in zip(params, clipped, second):
            p -= 0.1 * (a + b)


def main():
    torch.manual_seed(101)
    net = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 2))
    for _ in range(2):
        sharpness_step(net, torch.randn(8, 3), torch.randint(0, 2, (8,)), 0.1, 0.2)
    return {n: p.detach() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
