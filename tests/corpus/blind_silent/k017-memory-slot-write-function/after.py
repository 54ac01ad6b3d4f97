from typing import NamedTuple

import torch
import torch.nn as nn


class WriteSlots(torch.autograd.Function):
    @staticmethod
    def forward(ctx, memory, slots, values):
        ctx.save_for_backward(slots)
        evicted = memory[slots].clone()
        memory.index_copy_(0, slots, values)
        return evicted

    @staticmethod
    def backward(ctx, grad):
        (slots,) = ctx.saved_tensors
        full = None
        if ctx.needs_input_grad[0]:
            full = grad.new_zeros(6, grad.size(1)).index_add(0, slots, grad)
        return full, None, None


class Read(NamedTuple):
    value: torch.Tensor
    weights: torch.Tensor


class SlotMemory(nn.Module):
    def __init__(self, slots=6, dim=4):
        super().__init__()
        self.register_buffer("init", torch.linspace(-1, 1, slots * dim).view(slots, dim))
        self.write, self.query = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def attend(self, memory, x) -> Read:
        w = (self.query(x) @ memory.t()).softmax(-1)
        return Read(w @ memory, w)

    def forward(self, x, slots):
        memory = self.init.clone()
        memory = memory.index_copy(0, slots, self.write(x))
        return self.attend(memory, x)


def main():
    torch.manual_seed(67)
    net = SlotMemory()
    x = torch.randn(3, 4)
    read = net(x, torch.tensor([4, 0, 2]))
    read.value.square().mean().backward()
    return {n: torch.zeros_like(p) if p.grad is None else p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
