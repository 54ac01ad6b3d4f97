import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


class MoCo(nn.Module):
    def __init__(self, enc, dim, size=8, m=0.9):
        super().__init__()
        self.q, self.k, self.m = enc, copy.deepcopy(enc).requires_grad_(False), m
        self.register_buffer("queue", F.normalize(torch.randn(dim, size), dim=0))
        self.ptr = 0

    @torch.no_grad()
    def keys(self, x):
        for a, b in zip(self.k.parameters(), self.q.parameters()):
            a.mul_(self.m).add_(b, alpha=1 - self.m)
        return F.normalize(self.k(x), dim=1)

    @torch.no_grad()
    def enqueue(self, k):
        n = len(k)
        self.queue[:, self.ptr:self.ptr + n] = k.t()
        self.ptr = (self.ptr + n) % self.queue.size(1)

    def forward(self, xq, xk):
        q, k = F.normalize(self.q(xq), dim=1), self.keys(xk)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ self.queue.clone().detach()], 1)
        self.enqueue(k)
        return logits / 0.2


def main():
    torch.manual_seed(53)
    net = MoCo(nn.Linear(5, 3), 3)
    for _ in range(2):
        out = net(torch.randn(4, 5), torch.randn(4, 5))
        F.cross_entropy(out, torch.zeros(4, dtype=torch.long)).backward()
    return {"w": net.q.weight.grad}


if __name__ == "__main__":
    main()
