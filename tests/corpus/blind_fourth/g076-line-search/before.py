import torch
import torch.nn as nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


def evaluate(net, flat, x, y):
    vector_to_parameters(flat, net.parameters())
    with torch.no_grad():
        return nn.functional.mse_loss(net(x), y).item()


def probe(net, x, y, radii):
    here = parameters_to_vector(net.parameters()).detach().clone()
    direction = torch.randn_like(here)
    scored = [(evaluate(net, here + r * direction, x, y), r) for r in radii]
    return min(scored)[1]


class Bilinear(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.ws = nn.ParameterList(torch.randn(a, b) / a ** 0.5 for a, b in zip(sizes, sizes[1:]))

    def forward(self, x):
        for w in self.ws:
            x = torch.tanh(x @ w)
        return x


def main():
    torch.manual_seed(85)
    net = Bilinear(2, 6, 6, 1)
    x, y = torch.randn(10, 2), torch.randn(10, 1)
    loss = nn.functional.mse_loss(net(x), y)
    radius = probe(net, x, y, (0.5, 1.0))
    (loss * radius).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
