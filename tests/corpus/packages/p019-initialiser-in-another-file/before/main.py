import torch

from pos.embedding import Embedding


def main():
    torch.manual_seed(0)
    layer = Embedding()
    layer(torch.randn(3, 4)).pow(2).sum().backward()
    return {name: p.grad for name, p in layer.named_parameters()}
