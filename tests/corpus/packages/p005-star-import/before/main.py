import torch

from gan.generator import Generator


def main():
    torch.manual_seed(0)
    generator = Generator()
    generator(torch.randn(4, 3)).pow(2).sum().backward()
    return {name: p.grad for name, p in generator.named_parameters()}
