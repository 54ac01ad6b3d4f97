import numpy as np
import torch
import torch.nn as nn


class ReplayMemory:
    def __init__(self, size, dim, seed=0):
        self.s = np.zeros((size, dim), dtype=np.float32)
        self.r = np.zeros(size, dtype=np.float32)
        self.size, self.head, self.full = size, 0, False
        self.rng = np.random.default_rng(seed)

    def push(self, s, r):
        self.s[self.head] = s
        self.r[self.head] = r
        self.head = (self.head + 1) % self.size
        self.full |= self.head == 0

    def sample(self, n):
        idx = self.rng.integers(0, self.size if self.full else self.head, n)
        return torch.tensor(self.s[idx]), torch.tensor(self.r[idx])


def main():
    torch.manual_seed(25)
    memory, q = ReplayMemory(6, 3), nn.Linear(3, 1)
    rng = np.random.default_rng(1)
    opt = torch.optim.RMSprop(q.parameters(), lr=0.01)
    for step in range(8):
        memory.push(rng.normal(size=3), rng.normal())
        if step < 3:
            continue
        s, r = memory.sample(4)
        loss = nn.functional.huber_loss(q(s).squeeze(1), r)
        memory.push(rng.normal(size=3), rng.normal())
        opt.zero_grad()
        loss.backward()
        opt.step()
    return {"weight": q.weight, "grad": q.weight.grad}


if __name__ == "__main__":
    main()
