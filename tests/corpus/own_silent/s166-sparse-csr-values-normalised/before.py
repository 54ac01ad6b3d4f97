import torch
from torch import nn


class CSRGraph:
    def __init__(self, rowptr, col, weight):
        self.rowptr, self.col, self.weight = rowptr, col, weight

    @property
    def adjacency(self):
        n = len(self.rowptr) - 1
        return torch.sparse_csr_tensor(self.rowptr, self.col, self.weight, (n, n))

    def row_normalise(self):
        counts = self.rowptr.diff()
        rows = torch.repeat_interleave(torch.arange(len(counts)), counts)
        total = torch.zeros(len(counts)).index_add_(0, rows, self.weight)
        self.weight /= total[rows]
        return self


def main():
    torch.manual_seed(621)
    graph = CSRGraph(torch.tensor([0, 2, 3, 4, 6]), torch.tensor([1, 3, 2, 0, 0, 2]), torch.rand(6) + 1)
    first, second = nn.Linear(3, 4), nn.Linear(4, 2)
    h = torch.tanh(graph.adjacency @ first(torch.randn(4, 3)))
    out = graph.row_normalise().adjacency @ second(h)
    out.pow(2).sum().backward()
    return {"first": first.weight.grad, "second": second.weight.grad}


if __name__ == "__main__":
    main()
