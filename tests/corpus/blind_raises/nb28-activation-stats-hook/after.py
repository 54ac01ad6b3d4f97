import functools

import torch
from torch import nn


class RunningMoments:
    def __init__(self, width, momentum=0.9):
        self.mean = torch.zeros(width)
        self.peak = torch.full((width,), float("-inf"))
        self.count = torch.zeros((), dtype=torch.long)
        self.momentum = momentum

    @torch.no_grad()
    def fold(self, x):
        flat = x.flatten(0, -2)
        self.mean = self.momentum * self.mean + (1 - self.momentum) * flat.mean(0)
        self.peak = torch.maximum(self.peak, flat.amax(0))
        self.count = self.count + len(flat)

    def state(self):
        return {"mean": self.mean.clone(), "peak": self.peak.clone(), "count": self.count.clone()}


class ActivationMonitor:
    def __init__(self, model, kinds=(nn.Linear,)):
        self.moments, self.handles = {}, []
        for name, module in model.named_modules():
            if isinstance(module, kinds):
                self.moments[name] = RunningMoments(module.out_features)
                self.handles.append(module.register_forward_hook(functools.partial(self._observe, name)))

    def _observe(self, name, module, args, output):
        self.moments[name].fold(output.detach())

    def report(self):
        return {f"{name}.{k}": v for name, m in self.moments.items() for k, v in m.state().items()}

    def close(self):
        for handle in self.handles:
            handle.remove()


class GatedMLP(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.gate = nn.Linear(dim, hidden)
        self.value = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim)

    def forward(self, x):
        return x + self.down(torch.sigmoid(self.gate(x)) * self.value(x))


def main():
    torch.manual_seed(0)
    model = nn.Sequential(GatedMLP(4, 6), GatedMLP(4, 6))
    monitor = ActivationMonitor(model)
    loss = sum(model(torch.randn(2, 3, 4)).square().mean() for _ in range(2))
    loss.backward()
    monitor.close()
    return {**monitor.report(), **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
