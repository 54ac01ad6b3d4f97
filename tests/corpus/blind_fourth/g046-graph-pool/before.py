import torch
import torch.nn as nn


def segment_softmax(score, seg, n):
    top = score.detach().new_full((n,), float("-inf"))
    top.scatter_reduce_(0, seg, score.detach(), "amax")
    e = score - top[seg]
    e.exp_()
    z = torch.zeros(n).index_add_(0, seg, e)
    return e / z[seg]


class AttentivePool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)
        self.val = nn.Linear(d, d)

    def forward(self, x, seg):
        n = int(seg.max()) + 1
        w = segment_softmax(self.score(x).squeeze(1), seg, n)
        pooled = x.new_zeros(n, x.size(1))
        pooled.index_add_(0, seg, w[:, None] * self.val(x))
        return pooled


def main():
    torch.manual_seed(51)
    pool = AttentivePool(3)
    y = pool(torch.randn(7, 3), torch.tensor([0, 0, 1, 1, 1, 2, 2]))
    y.tanh().sum().backward()
    return {"s": pool.score.weight.grad, "v": pool.val.weight.grad}


if __name__ == "__main__":
    main()
