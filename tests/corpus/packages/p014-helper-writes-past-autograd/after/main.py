import torch

from ema.layer import Layer


def main():
    torch.manual_seed(0)
    layer = Layer()
    layer(torch.randn(2, 3)).pow(2).sum().backward()
    return {name: p.grad for name, p in layer.named_parameters()}
