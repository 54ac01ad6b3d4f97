import torch

from bert.model import Intermediate


def main():
    torch.manual_seed(0)
    layer = Intermediate()
    layer(torch.randn(2, 4)).sum().backward()
    return {name: p.grad for name, p in layer.named_parameters()}
