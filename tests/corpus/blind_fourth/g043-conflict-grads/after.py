import torch
import torch.nn as nn


def task_grads(shared, losses):
    per_task = []
    for i, loss in enumerate(losses):
        shared.zero_grad(set_to_none=False)
        loss.backward(retain_graph=i + 1 < len(losses))
        per_task.append([p.grad.clone() for p in shared.parameters()])
    return per_task


def project(a, b):
    dot = sum((x * y).sum() for x, y in zip(a, b))
    if dot >= 0:
        return a
    nb = sum(y.square().sum() for y in b)
    return [x - dot / nb * y for x, y in zip(a, b)]


def main():
    torch.manual_seed(48)
    trunk = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
    h1, h2 = nn.Linear(8, 1), nn.Linear(8, 1)
    z = trunk(torch.randn(10, 4))
    losses = [(h1(z) - 1).square().mean(), (h2(z) + 2).square().mean()]
    g1, g2 = task_grads(trunk, losses)
    merged = [x + y for x, y in zip(project(g1, g2), project(g2, g1))]
    with torch.no_grad():
        for p, g in zip(trunk.parameters(), merged):
            p -= 0.1 * g
    return {n: p.detach() for n, p in trunk.named_parameters()}


if __name__ == "__main__":
    main()
