import torch
import torch.nn as nn


def mean_over_edges(msg, dst, n):
    out = msg.new_zeros(n, msg.size(1))
    out.index_add_(0, dst, msg)
    deg = torch.bincount(dst, minlength=n).clamp_(min=1).unsqueeze(1)
    return out.div_(deg)


class Conv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin_msg = nn.Linear(i, o)
        self.lin_self = nn.Linear(i, o)

    def forward(self, x, edge):
        src, dst = edge
        agg = mean_over_edges(self.lin_msg(x)[src], dst, x.size(0))
        agg += self.lin_self(x)
        return agg.relu_()


def main():
    torch.manual_seed(15)
    edge = torch.tensor([[0, 1, 2, 3, 3], [1, 2, 0, 0, 2]])
    c1, c2 = Conv(3, 6), Conv(6, 2)
    y = c2(c1(torch.randn(4, 3), edge), edge)
    y.sum().backward()
    return {n: p.grad for i, c in enumerate((c1, c2)) for n, p in c.named_parameters(str(i))}


if __name__ == "__main__":
    main()
