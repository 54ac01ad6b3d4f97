import random
from typing import List

import torch
import torch.nn as nn


def flat_grad(loss, params) -> torch.Tensor:
    grads = torch.autograd.grad(loss, params, retain_graph=True, allow_unused=True)
    return torch.cat([(torch.zeros_like(p) if g is None else g).flatten() for p, g in zip(params, grads)])


def project(grads: List[torch.Tensor], rng: random.Random) -> torch.Tensor:
    edited = [g.clone() for g in grads]
    for g in edited:
        others = list(grads)
        rng.shuffle(others)
        for h in others:
            dot = torch.dot(g, h)
            if dot < 0:
                g.sub_(h, alpha=(dot / h.square().sum()).item())
    return torch.stack(edited).sum(0)


def assign(params, vec):
    start = 0
    for p in params:
        p.grad = vec[start:start + p.numel()].view_as(p).clone()
        start += p.numel()


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(4, 5)
        self.heads = nn.ModuleList(nn.Linear(5, 1) for _ in range(3))

    def losses(self, x, ys):
        h = torch.tanh(self.trunk(x))
        return [(head(h).squeeze(1) - y).square().mean() for head, y in zip(self.heads, ys)]


def main():
    torch.manual_seed(113)
    net, rng = MultiTask(), random.Random(0)
    params = list(net.parameters())
    opt = torch.optim.SGD(params, lr=0.2)
    for _ in range(2):
        losses = net.losses(torch.randn(8, 4), torch.randn(3, 8))
        assign(params, project([flat_grad(loss, params) for loss in losses], rng))
        opt.step()
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
