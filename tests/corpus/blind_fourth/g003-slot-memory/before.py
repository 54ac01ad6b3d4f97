import torch
import torch.nn as nn


class SlotMemory(nn.Module):
    def __init__(self, slots, dim):
        super().__init__()
        self.query = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.slots = slots
        self.dim = dim

    def begin(self):
        self.bank = torch.zeros(self.slots, self.dim)

    def read(self, h):
        att = torch.softmax(self.query(h) @ self.bank.t(), dim=-1)
        return att @ self.bank

    def write(self, step, h):
        self.bank[step % self.slots] = torch.tanh(self.value(h))


def main():
    torch.manual_seed(5)
    mem = SlotMemory(3, 4)
    mem.begin()
    total = 0.0
    for step, h in enumerate(torch.randn(5, 4)):
        total = total + mem.read(h).sum()
        mem.write(step, h)
    total.backward()
    return {"q": mem.query.weight.grad, "v": mem.value.weight.grad}


if __name__ == "__main__":
    main()
