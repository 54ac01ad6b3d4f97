import torch

from dec.decoder import Decoder


def main():
    gradients = {}
    for kind in ("layer", "batch", "none"):
        torch.manual_seed(0)
        decoder = Decoder(kind)
        decoder(torch.randn(3, 4)).sum().backward()
        gradients |= {f"{kind} {name}": p.grad for name, p in decoder.named_parameters()}
    return gradients
