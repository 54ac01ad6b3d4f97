import torch

from lm.decoder import Decoder


def main():
    torch.manual_seed(0)
    model = Decoder()
    model(torch.randn(3, 6)).sum().backward()
    return {name: p.grad for name, p in model.named_parameters()}
