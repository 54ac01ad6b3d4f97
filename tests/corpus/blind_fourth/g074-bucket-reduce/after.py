import torch
import torch.nn as nn
import copy


class Replica:
    def __init__(self, model, rank):
        self.model = copy.deepcopy(model)
        self.rank = rank

    def compute(self, x, y):
        self.model.zero_grad()
        nn.functional.mse_loss(self.model(x), y).backward()

    def grads(self):
        return [p.grad for p in self.model.parameters()]


def all_reduce_mean(replicas):
    acc = [g.clone() for g in replicas[0].grads()]
    for r in replicas[1:]:
        for a, g in zip(acc, r.grads()):
            a.add_(g)
    return [a / len(replicas) for a in acc]


def spread(replicas, mean):
    return sum((g - m).square().sum() for r in replicas for g, m in zip(r.grads(), mean))


def main():
    torch.manual_seed(83)
    base = nn.Linear(3, 1)
    reps = [Replica(base, i) for i in range(3)]
    lr = 0.1
    for _ in range(3):
        for r in reps:
            r.compute(torch.randn(4, 3), torch.randn(4, 1))
        mean = all_reduce_mean(reps)
        scale = lr / (1 + spread(reps, mean))
        with torch.no_grad():
            for r in reps:
                for p, m in zip(r.model.parameters(), mean):
                    p -= scale * m
    return {"w": reps[1].model.weight.detach()}


if __name__ == "__main__":
    main()
