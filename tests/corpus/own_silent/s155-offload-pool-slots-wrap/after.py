import torch
import torch.nn as nn


class PinnedPool:
    """Round-robin pool of flat buffers that hold activations until backward."""

    def __init__(self, slots, numel):
        self.pool = [torch.empty(numel) for _ in range(slots)]
        self.turn = 0

    def pack(self, tensor):
        slot = self.pool[self.turn % len(self.pool)]
        self.turn += 1
        part = slot[: tensor.numel()].view(tensor.shape)
        part.copy_(tensor)
        return part

    def unpack(self, part):
        return part

    def hooks(self):
        return torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack)


def main():
    torch.manual_seed(511)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    pool = PinnedPool(slots=16, numel=64)
    x = torch.randn(5, 3)
    with pool.hooks():
        loss = net(x).square().mean()
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
