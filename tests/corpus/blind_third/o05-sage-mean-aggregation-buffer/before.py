import torch
import torch.nn as nn


class SAGEConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.nbr, self.root = nn.Linear(d_in, d_out, bias=False), nn.Linear(d_in, d_out)

    def forward(self, x, src, dst):
        n = x.shape[0]
        deg = torch.bincount(dst, minlength=n).clamp(min=1).to(x.dtype)
        agg = x.new_zeros(n, x.shape[1])
        agg.index_add_(0, dst, x[src])
        agg.div_(deg[:, None])
        out = self.nbr(agg)
        out += self.root(x)
        return out


class GraphSAGE(nn.Module):
    def __init__(self, dims=(5, 8, 3)):
        super().__init__()
        self.convs = nn.ModuleList(SAGEConv(a, b) for a, b in zip(dims, dims[1:]))

    def forward(self, x, edges):
        for i, conv in enumerate(self.convs):
            x = conv(x, *edges)
            if i + 1 < len(self.convs):
                x = torch.relu_(x)
        return x


def main():
    torch.manual_seed(205)
    net = GraphSAGE()
    edges = torch.tensor([[0, 1, 2, 3, 4, 5, 0, 2], [1, 2, 3, 4, 5, 0, 3, 5]])
    labels, train = torch.randint(0, 3, (6,)), torch.tensor([0, 1, 4])
    logits = net(torch.randn(6, 5), edges)
    nn.functional.cross_entropy(logits[train], labels[train]).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
