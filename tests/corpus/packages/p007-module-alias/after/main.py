import torch

from flow.coupling import Coupling


def main():
    torch.manual_seed(0)
    flow = Coupling()
    flow(torch.randn(3, 4)).sum().backward()
    return {name: p.grad for name, p in flow.named_parameters()}
