import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks


class HalfStore:
    def __init__(self):
        self.saved = 0

    def pack(self, t):
        self.saved += t.numel()
        return t.dtype, t.clone()

    @staticmethod
    def unpack(packed):
        dtype, t = packed
        return t.to(dtype)


def main():
    torch.manual_seed(275)
    fc, store = nn.Linear(3, 4), HalfStore()
    x = torch.randn(5, 3)
    with saved_tensors_hooks(store.pack, store.unpack):
        h = torch.sigmoid(fc(x))
        h = h * 2 - 1
        loss = h.square().mean()
    loss.backward()
    return {"weight": fc.weight.grad, "bias": fc.bias.grad, "n": torch.tensor(store.saved)}


if __name__ == "__main__":
    main()
