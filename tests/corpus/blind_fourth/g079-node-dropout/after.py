import torch
import torch.nn as nn


class GraphAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d, d) for _ in range(3))

    def weights(self, x, src, dst):
        s = (self.q(x)[dst] * self.k(x)[src]).sum(-1).exp()
        return s / torch.zeros(len(x)).index_add(0, dst, s)[dst]

    def forward(self, x, edges):
        src, dst = edges
        w = self.weights(x, src, dst)
        return x.index_add(0, dst, w[:, None] * self.v(x)[src])


class Encoder(nn.Module):
    def __init__(self, n, d, depth):
        super().__init__()
        self.emb = nn.Embedding(n, d)
        self.layers = nn.ModuleList(GraphAttention(d) for _ in range(depth))

    def forward(self, ids, edges):
        h = self.emb(ids)
        for layer in self.layers:
            h = layer(h, edges)
        return h


def main():
    torch.manual_seed(88)
    enc = Encoder(5, 3, 2)
    h = enc(torch.arange(5), torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]]))
    h.square().mean().backward()
    return {"emb": enc.emb.weight.grad, "v": enc.layers[0].v.weight.grad}


if __name__ == "__main__":
    main()
