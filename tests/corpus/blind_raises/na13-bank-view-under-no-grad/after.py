import contextlib

import torch
import torch.nn as nn


class SlotMemory(nn.Module):
    def __init__(self, slots, dim):
        super().__init__()
        self.slots, self.dim = slots, dim
        self.init = nn.Parameter(torch.randn(slots, dim))
        self.flat = None

    def reset(self, batch):
        self.flat = self.init.repeat(batch, 1)

    def view(self, frozen=False):
        ctx = torch.no_grad() if frozen else contextlib.nullcontext()
        with ctx:
            return self.flat.view(-1, self.slots, self.dim)

    def lookup(self, query):
        keys = self.view(frozen=True)
        return torch.einsum("bd,bsd->bs", query, keys).argmax(dim=1), keys

    def write(self, query, value):
        where, _ = self.lookup(query)
        rows = torch.arange(len(where)) * self.slots + where
        self.flat = self.flat.index_add(0, rows, value)

    def read(self, query):
        table = self.view()
        att = torch.einsum("bd,bsd->bs", query, table).softmax(dim=1)
        return torch.einsum("bs,bsd->bd", att, table)


class Reader(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.memory = SlotMemory(3, dim)
        self.value = nn.Linear(dim, dim)

    def forward(self, ids):
        self.memory.reset(ids.shape[0])
        for token in self.embed(ids).unbind(1):
            self.memory.write(token, self.value(token))
        return self.memory.read(token)


def main():
    torch.manual_seed(0)
    reader = Reader(10, 4)
    reader(torch.randint(0, 10, (2, 3))).square().mean().backward()
    return {n: p.grad for n, p in reader.named_parameters()}


if __name__ == "__main__":
    main()
