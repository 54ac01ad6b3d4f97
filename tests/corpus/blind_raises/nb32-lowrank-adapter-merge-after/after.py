from contextlib import contextmanager

import torch
from torch import nn
import torch.nn.functional as F


class ReLoRALinear(nn.Module):
    def __init__(self, base, rank, alpha=1.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.alpha = alpha

    def forward(self, x):
        return self.base(x) + self.alpha * F.linear(F.linear(x, self.down), self.up)

    @torch.no_grad()
    def merge_and_reset(self, generator):
        self.base.weight.data = self.base.weight + self.alpha * self.up @ self.down
        self.down.data = torch.normal(0.0, 0.1, self.down.shape, generator=generator)
        self.up.data = torch.zeros_like(self.up)


def attach(module, rank):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, ReLoRALinear(child, rank))
        else:
            attach(child, rank)
    return module


@contextmanager
def restart_every(model, interval, generator):
    count = 0

    def after_step():
        nonlocal count
        count += 1
        if count % interval == 0:
            for m in model.modules():
                if isinstance(m, ReLoRALinear):
                    m.merge_and_reset(generator)

    yield after_step


def train(model, batches, interval):
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.SGD(params, lr=0.2)
    with restart_every(model, interval, torch.Generator().manual_seed(5)) as after_step:
        for x, y in batches:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            after_step()


def main():
    torch.manual_seed(0)
    model = attach(nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 3)), rank=2)
    train(model, [(torch.randn(5, 4), torch.randint(0, 3, (5,))) for _ in range(3)], interval=2)
    out = {n: p.grad for n, p in model.named_parameters() if p.requires_grad}
    return {**out, "weight": model[0].base.weight.detach()}


if __name__ == "__main__":
    main()
