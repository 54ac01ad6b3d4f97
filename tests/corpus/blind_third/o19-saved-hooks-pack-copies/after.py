import torch
import torch.nn as nn
from torch.autograd.graph import saved_tensors_hooks


class Packed:
    """Pickle-like storage of activations: flattened copy plus its shape."""

    def __init__(self):
        self.count = 0

    def pack(self, t):
        self.count += 1
        return t.shape, t.detach().clone(memory_format=torch.contiguous_format).flatten()

    def unpack(self, packed):
        shape, flat = packed
        return flat.view(shape)


class Refiner(nn.Module):
    def __init__(self, d, steps):
        super().__init__()
        self.f, self.gate, self.steps = nn.Linear(d, d), nn.Linear(d, d), steps

    def forward(self, x):
        x = x.clone()
        for _ in range(self.steps):
            upd = torch.tanh(self.f(x))
            g = torch.sigmoid(self.gate(x))
            upd = upd * g
            x = x * 0.9 + upd
        return x


def main():
    torch.manual_seed(219)
    net, store = Refiner(4, 3), Packed()
    x, y = torch.randn(6, 4), torch.randn(6, 4)
    with saved_tensors_hooks(store.pack, store.unpack):
        loss = nn.functional.mse_loss(net(x), y)
    assert store.count
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
