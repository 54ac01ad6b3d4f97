import torch

from model import Energy


def main():
    torch.manual_seed(0)
    energy = Energy()
    energy(torch.randn(2, 3)).sum().backward()
    return {name: p.grad for name, p in energy.named_parameters()}
