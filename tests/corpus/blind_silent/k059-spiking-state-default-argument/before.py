from typing import List

import torch
import torch.nn as nn


def leaky_integrate(currents: torch.Tensor, leak: float = 0.8, state: torch.Tensor = torch.zeros(3)) -> List[torch.Tensor]:
    trace = []
    for current in currents:
        state.mul_(leak).add_(current)
        trace.append(state.clone())
    return trace


class Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        ctx.save_for_backward(v)
        return (v > 0).float()

    @staticmethod
    def backward(ctx, grad):
        (v,) = ctx.saved_tensors
        return grad / (1 + 5 * v.abs()) ** 2


class SNN(nn.Module):
    def __init__(self, d_in, classes):
        super().__init__()
        self.syn = nn.Linear(d_in, 3)
        self.out = nn.Linear(3, classes)

    def forward(self, spikes):
        membrane = torch.stack(leaky_integrate(self.syn(spikes)))
        return self.out(Spike.apply(membrane - 0.2).mean(0))


def main():
    torch.manual_seed(283)
    net = SNN(4, 2)
    trials = (torch.rand(5, 6, 4) > 0.5).float()
    logits = torch.stack([net(t) for t in trials])
    nn.functional.cross_entropy(logits, torch.tensor([0, 1, 1, 0, 1])).backward()
    return {"logits": logits, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
