import torch

from nets.conv import ConvLayer


def main():
    torch.manual_seed(0)
    layer = ConvLayer(4)
    layer(torch.randn(2, 4, 5, 5)).sum().backward()
    return {name: p.grad for name, p in layer.named_parameters()}
