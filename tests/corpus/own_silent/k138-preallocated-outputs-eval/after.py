import torch
from torch import nn


class Index:
    def __init__(self, dim, capacity):
        self.bank = torch.zeros(capacity, dim)
        self.size = 0
        self._scores = None

    @torch.no_grad()
    def add(self, vectors):
        end = self.size + len(vectors)
        torch.div(vectors, vectors.norm(dim=1, keepdim=True), out=self.bank[self.size : end])
        self.size = end

    @torch.no_grad()
    def search(self, queries, k):
        if self._scores is None or len(self._scores) != len(queries):
            self._scores = torch.empty(len(queries), self.size)
        self._scores = torch.mm(queries, self.bank[: self.size].t())
        best = torch.empty(len(queries), k), torch.empty(len(queries), k, dtype=torch.long)
        torch.topk(self._scores, k, dim=1, out=best)
        return best[0], best[1]


def main():
    torch.manual_seed(375)
    enc, index = nn.Linear(4, 3), Index(3, 16)
    for _ in range(2):
        index.add(enc(torch.randn(5, 4)))
    x = torch.randn(3, 4)
    _, idx = index.search(enc(x), 2)
    negatives = index.bank[idx]
    (enc(x).unsqueeze(1) * negatives).sum(-1).logsumexp(1).mean().backward()
    return {"idx": idx, "weight": enc.weight.grad}


if __name__ == "__main__":
    main()
