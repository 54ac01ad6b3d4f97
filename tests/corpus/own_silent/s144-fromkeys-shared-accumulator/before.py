import torch
from torch import nn


class MeterBank:
    def __init__(self, names, dim):
        self.total = dict.fromkeys(names, torch.zeros(dim))

    def add(self, **batches):
        for name, values in batches.items():
            self.total[name] += values.detach().sum(dim=0)


def main():
    torch.manual_seed(411)
    net = nn.ModuleDict({"rgb": nn.Linear(3, 2), "depth": nn.Linear(1, 2)})
    bank = MeterBank(net.keys(), 2)
    for _ in range(2):
        rgb, depth = net["rgb"](torch.randn(4, 3)), net["depth"](torch.randn(4, 1))
        bank.add(rgb=rgb, depth=depth)
    weight = torch.stack([bank.total["rgb"], bank.total["depth"]]).softmax(dim=0)
    (weight[0] * rgb + weight[1] * depth).square().mean().backward()
    return {"weight": weight, "rgb": net["rgb"].weight.grad, "depth": net["depth"].weight.grad}


if __name__ == "__main__":
    main()
