import collections

import torch
from torch import nn


class AverageMeter:
    def __init__(self):
        self.sum = self.count = 0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / self.count


def losses_of(net, x, y):
    out = net(x)
    return {"mse": nn.functional.mse_loss(out, y), "l1": nn.functional.l1_loss(out, y), "reg": out.pow(2).mean()}


def main():
    torch.manual_seed(225)
    net = nn.Linear(3, 2)
    meters = collections.defaultdict(AverageMeter)
    weights = {"mse": 1.0, "l1": 0.5}
    weights |= {"reg": 0.1}
    seen = ()
    for _ in range(3):
        x, y = torch.randn(4, 3), torch.randn(4, 2)
        total = 0
        for name, loss in losses_of(net, x, y).items():
            meters[name].update(loss.item(), len(x))
            total = total + weights[name] * loss
        total.backward()
        seen += (float(total),)
    return {"grad": net.weight.grad, "avg": torch.tensor([m.avg for m in meters.values()]), "seen": torch.tensor(seen)}


if __name__ == "__main__":
    main()
