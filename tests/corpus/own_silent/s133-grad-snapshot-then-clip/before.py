import torch
from torch import nn


class GradientMonitor:
    def __init__(self, model):
        self.model = model
        self.raw = {}

    def capture(self):
        self.raw = {name: p.grad.view(-1) for name, p in self.model.named_parameters()}

    def shrinkage(self):
        return {name: p.grad.norm() / self.raw[name].norm() for name, p in self.model.named_parameters()}


def main():
    torch.manual_seed(311)
    model = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid(), nn.Linear(4, 2))
    monitor = GradientMonitor(model)
    (10 * model(torch.randn(6, 3))).square().sum().backward()
    monitor.capture()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    return monitor.shrinkage()


if __name__ == "__main__":
    main()
