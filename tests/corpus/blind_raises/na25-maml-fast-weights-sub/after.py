from typing import Dict

import torch
from torch import Tensor, nn
from torch.func import functional_call

Params = Dict[str, Tensor]


class SineNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.hidden = nn.Linear(1, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(torch.tanh(self.hidden(x)))


class InnerLoop:
    def __init__(self, net: nn.Module, lr: float, steps: int):
        self.net, self.lr, self.steps = net, lr, steps

    def fast_weights(self) -> Params:
        return {name: p.clone() for name, p in self.net.named_parameters()}

    def loss(self, weights: Params, x: Tensor, y: Tensor) -> Tensor:
        return (functional_call(self.net, weights, (x,)) - y).square().mean()

    def adapt(self, x: Tensor, y: Tensor) -> Params:
        weights = self.fast_weights()
        for _ in range(self.steps):
            grads = torch.autograd.grad(self.loss(weights, x, y), list(weights.values()), create_graph=True)
            weights = {n: w - self.lr * g for (n, w), g in zip(weights.items(), grads)}
        return weights


def sample_task(shots=5):
    phase, amplitude = torch.rand(2)
    x = torch.rand(2 * shots, 1) * 4 - 2
    y = amplitude * torch.sin(x + phase)
    return (x[:shots], y[:shots]), (x[shots:], y[shots:])


def meta_step(net, inner, tasks):
    net.zero_grad()
    total = 0.0
    for support, query in tasks:
        total = total + inner.loss(inner.adapt(*support), *query)
    (total / len(tasks)).backward()


def main():
    torch.manual_seed(0)
    net = SineNet()
    meta_step(net, InnerLoop(net, lr=0.1, steps=2), [sample_task() for _ in range(2)])
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
