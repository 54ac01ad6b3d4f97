import torch
from torch import nn


def rescale(tensors, weights):
    return list(torch._foreach_mul(tensors, weights))


class MultiScaleGate(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.gates = nn.ModuleList(nn.Linear(d, d) for d in dims)

    def forward(self, *feats):
        gates = [torch.sigmoid(g(f)) for g, f in zip(self.gates, feats)]
        gates = rescale(gates, [1.0 / (i + 1) for i in range(len(gates))])
        return [g * f for g, f in zip(gates, feats)]


def main():
    torch.manual_seed(54)
    net = MultiScaleGate((2, 3, 4))
    outs = net(*(torch.randn(3, d) for d in (2, 3, 4)))
    torch.cat(outs, 1).sum().backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
