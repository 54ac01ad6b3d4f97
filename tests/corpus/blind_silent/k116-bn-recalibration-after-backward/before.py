from contextlib import contextmanager

import torch
import torch.nn as nn


@contextmanager
def cumulative_stats(model: nn.Module):
    momenta = {}
    for m in model.modules():
        if isinstance(m, nn.modules.batchnorm._BatchNorm):
            m.running_mean.zero_()
            m.running_var.fill_(1.0)
            m.num_batches_tracked.zero_()
            momenta[m], m.momentum = m.momentum, None
    try:
        yield
    finally:
        for m, old in momenta.items():
            m.momentum = old


@torch.no_grad()
def recalibrate(model, batches):
    was = model.training
    model.train()
    with cumulative_stats(model):
        for x in batches:
            model(x)
    model.train(was)


def build():
    return nn.Sequential(nn.Conv1d(2, 4, 3), nn.BatchNorm1d(4), nn.ReLU(), nn.Flatten(), nn.Linear(16, 2))


def main():
    torch.manual_seed(61)
    net = build()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    data = torch.randn(4, 6, 2, 6)
    y = torch.randint(0, 2, (6,))
    for x in data:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
        recalibrate(net, data[:2])
    net.eval()
    opt.zero_grad()
    nn.functional.cross_entropy(net(data[0]), y).backward()
    return {"mean": net[1].running_mean, "var": net[1].running_var, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
