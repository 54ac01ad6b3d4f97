import torch
from torch import nn


class PoissonHeads(nn.ModuleDict):
    def forward(self, x):
        return {name: head(x).exp() for name, head in self.items()}


def nll(rates, counts):
    [r.data.clamp_(0.8, 1.5) for r in rates.values()]
    return sum((r - counts[k] * r.log()).mean() for k, r in rates.items())


def main():
    torch.manual_seed(81)
    heads = PoissonHeads({"home": nn.Linear(3, 1), "away": nn.Linear(3, 1)})
    x = torch.randn(8, 3)
    counts = {k: torch.randint(0, 5, (8, 1)) for k in heads}
    nll(heads(x), counts).backward()
    return {n: p.grad for n, p in heads.named_parameters()}


if __name__ == "__main__":
    main()
