import torch
from torch import nn


class MultiHead(nn.Module):
    def __init__(self, dim, outs):
        super().__init__()
        self.trunk = nn.Linear(dim, dim)
        self.heads = nn.ModuleDict({k: nn.Linear(dim, n) for k, n in outs.items()})

    def forward(self, x):
        h = self.trunk(x).relu()
        return {k: head(h) for k, head in self.heads.items()}


def total_loss(outputs, targets, params, reg):
    losses = [nn.functional.mse_loss(outputs[k], targets[k]) for k in targets]
    data_term = torch.tensor(losses).mean()
    return data_term + reg * sum(p.norm() for p in params)


def main():
    torch.manual_seed(561)
    sizes = {"depth": 1, "normal": 3}
    net = MultiHead(4, sizes)
    targets = {k: torch.randn(5, n) for k, n in sizes.items()}
    total_loss(net(torch.randn(5, 4)), targets, list(net.parameters()), 0.01).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
