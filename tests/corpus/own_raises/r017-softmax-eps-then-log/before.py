import torch
from torch import nn


def entropy(p):
    p += 1e-8
    return -(p * p.log()).sum(-1)


def js_divergence(*distributions):
    mixture = sum(distributions) / len(distributions)
    return entropy(mixture) - sum(entropy(d) for d in distributions) / len(distributions)


class Ensemble(nn.Module):
    def __init__(self, members, din, classes):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(din, classes) for _ in range(members)])

    def forward(self, x):
        return tuple(head(x).softmax(-1) for head in self.heads)


def main():
    torch.manual_seed(21)
    bag = Ensemble(3, 4, 5)
    diversity = js_divergence(*bag(torch.randn(6, 4)))
    (-diversity.mean()).backward()
    return {n: p.grad.clone() for n, p in bag.named_parameters()}


if __name__ == "__main__":
    main()
