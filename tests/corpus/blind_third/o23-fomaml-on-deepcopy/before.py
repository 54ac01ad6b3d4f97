import copy
import torch
import torch.nn as nn


def inner_adapt(learner, x, y, lr=0.1, steps=3):
    for _ in range(steps):
        loss = nn.functional.cross_entropy(learner(x), y)
        grads = torch.autograd.grad(loss, list(learner.parameters()))
        with torch.no_grad():
            for p, g in zip(learner.parameters(), grads):
                p.sub_(g, alpha=lr)
    return learner


def meta_step(meta, opt, tasks):
    opt.zero_grad(set_to_none=True)
    for xs, ys, xq, yq in tasks:
        learner = inner_adapt(copy.deepcopy(meta), xs, ys)
        loss = nn.functional.cross_entropy(learner(xq), yq) / len(tasks)
        grads = torch.autograd.grad(loss, list(learner.parameters()))
        for p, g in zip(meta.parameters(), grads):
            if p.grad is None:
                p.grad = torch.zeros_like(p)
            p.grad.add_(g)
    opt.step()


def main():
    torch.manual_seed(223)
    meta = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    opt = torch.optim.Adam(meta.parameters(), lr=1e-2)

    def task():
        return torch.randn(6, 4), torch.randint(0, 3, (6,)), torch.randn(6, 4), torch.randint(0, 3, (6,))

    for _ in range(2):
        meta_step(meta, opt, [task(), task()])
    return {**{n: p.grad for n, p in meta.named_parameters()}, "w": meta[0].weight.detach().clone()}


if __name__ == "__main__":
    main()
