import torch
import torch.nn as nn


def sym_normalised(edges, n):
    """D^-1/2 (A + I) D^-1/2 as a sparse matrix."""
    loops = torch.arange(n).repeat(2, 1)
    idx = torch.cat([edges, edges.flip(0), loops], dim=1)
    val = torch.ones(idx.shape[1])
    deg = torch.zeros(n)
    deg.index_add_(0, idx[0], val)
    inv = deg.rsqrt_()
    val.mul_(inv[idx[0]]).mul_(inv[idx[1]])
    return torch.sparse_coo_tensor(idx, val, (n, n)).coalesce()


class APPNP(nn.Module):
    def __init__(self, d, n_cls, k=3, alpha=0.2):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(d, 8), nn.ReLU(inplace=True), nn.Linear(8, n_cls))
        self.k, self.alpha = k, alpha

    def forward(self, x, adj):
        h = self.mlp(x)
        z = h
        for _ in range(self.k):
            z = torch.sparse.mm(adj, z)
            z *= 1 - self.alpha
            z += self.alpha * h
        return z


def main():
    torch.manual_seed(225)
    edges = torch.tensor([[0, 1, 2, 3, 4, 0], [1, 2, 3, 4, 5, 5]])
    adj = sym_normalised(edges, 6)
    net = APPNP(5, 3)
    out = net(torch.randn(6, 5), adj)
    nn.functional.cross_entropy(out, torch.tensor([0, 1, 2, 0, 1, 2])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
