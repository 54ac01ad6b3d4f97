from typing import Dict, Sequence

import torch
import torch.nn as nn
import torch.nn.functional as F


class UncertaintyWeights(nn.Module):
    """Homoscedastic weighting of several objectives."""

    def __init__(self, tasks: Sequence[str]):
        super().__init__()
        self.tasks = list(tasks)
        self.log_var = nn.Parameter(torch.zeros(len(self.tasks)))

    def forward(self, losses: Dict[str, torch.Tensor]) -> torch.Tensor:
        values = torch.tensor([losses[t] for t in self.tasks])
        return (torch.exp(-self.log_var) * values + self.log_var).sum()


class DenseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(5, 8), nn.ReLU())
        self.heads = nn.ModuleDict({"seg": nn.Linear(8, 3), "depth": nn.Linear(8, 1)})

    def forward(self, x):
        h = self.trunk(x)
        return {k: head(h) for k, head in self.heads.items()}


def task_losses(out, batch):
    return {
        "seg": F.cross_entropy(out["seg"], batch["seg"]),
        "depth": F.l1_loss(out["depth"].squeeze(1), batch["depth"]),
    }


def main():
    torch.manual_seed(163)
    net = DenseNet()
    weigh = UncertaintyWeights(("seg", "depth"))
    params = [*net.parameters(), *weigh.parameters()]
    opt = torch.optim.SGD(params, lr=0.2)
    x = torch.randn(10, 5)
    batch = {"seg": torch.randint(0, 3, (10,)), "depth": torch.rand(10)}
    for _ in range(2):
        opt.zero_grad()
        total = weigh(task_losses(net(x), batch))
        total.backward()
        opt.step()
    return {f"p{i}": p.detach().clone() for i, p in enumerate(params)}


if __name__ == "__main__":
    main()
