import torch

from glu.layer import GLU


def main():
    torch.manual_seed(0)
    layer = GLU()
    layer(torch.randn(2, 4)).sum().backward()
    return {name: p.grad for name, p in layer.named_parameters()}
