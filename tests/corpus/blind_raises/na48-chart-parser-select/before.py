import torch
from torch import nn, Tensor


class Composer(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.left = nn.Linear(dim, dim)
        self.right = nn.Linear(dim, dim, bias=False)
        self.score = nn.Linear(dim, 1)

    def forward(self, a: Tensor, b: Tensor):
        h = torch.tanh(self.left(a) + self.right(b))
        return h, self.score(h)


class Chart:
    def __init__(self, leaves: Tensor):
        n, dim = leaves.shape
        self.length = n
        self.vectors = leaves.new_zeros(n, n, dim)
        for i, leaf in enumerate(leaves):
            self.vectors[i, i] = leaf

    def splits(self, i: int, j: int):
        for k in range(i, j):
            yield self.vectors[i, k], self.vectors[k + 1, j]

    def put(self, i: int, j: int, vector: Tensor):
        self.vectors[i, j] = vector

    @property
    def root(self) -> Tensor:
        return self.vectors[0, self.length - 1]


class InsideEncoder(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.compose = Composer(dim)

    def forward(self, ids: Tensor) -> Tensor:
        chart = Chart(self.embed(ids))
        for width in range(1, chart.length):
            for i in range(chart.length - width):
                cand = [self.compose(a, b) for a, b in chart.splits(i, i + width)]
                vectors, scores = map(torch.stack, zip(*cand))
                chart.put(i, i + width, (scores.softmax(dim=0) * vectors).sum(dim=0))
        return chart.root


def main():
    torch.manual_seed(0)
    enc = InsideEncoder(10, 4)
    roots = torch.stack([enc(torch.randint(0, 10, (n,))) for n in (3, 4)])
    roots.square().mean().backward()
    return {n: p.grad for n, p in enc.named_parameters()}


if __name__ == "__main__":
    main()
