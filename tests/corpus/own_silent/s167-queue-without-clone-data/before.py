import torch
from torch import nn
import torch.nn.functional as F


class Contrast(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.encoder = nn.Linear(4, dim)
        self.register_buffer("queue", F.normalize(torch.randn(dim, size), dim=0))
        self.ptr = 0

    def enqueue(self, keys):
        n = keys.shape[0]
        self.queue.data[:, self.ptr : self.ptr + n] = keys.T
        self.ptr = (self.ptr + n) % self.queue.shape[1]

    def forward(self, xq, xk):
        q = F.normalize(self.encoder(xq))
        with torch.no_grad():
            k = F.normalize(self.encoder(xk))
        pos = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)
        neg = torch.einsum("nc,ck->nk", q, self.queue)
        self.enqueue(k)
        return torch.cat([pos, neg], dim=1) / 0.2


def main():
    torch.manual_seed(631)
    net = Contrast(3, 8)
    for _ in range(2):
        net.zero_grad()
        x = torch.randn(4, 4)
        logits = net(x, x + 0.1 * torch.randn_like(x))
        F.cross_entropy(logits, torch.zeros(4, dtype=torch.long)).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
