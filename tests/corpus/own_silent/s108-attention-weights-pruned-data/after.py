import torch
from torch import nn


class SparseAttention(nn.Module):
    def __init__(self, dim, keep):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.keep = keep

    def prune(self, attn):
        cutoff = attn.topk(self.keep, dim=-1).values[..., -1:]
        return attn.masked_fill(attn < cutoff, 0)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        attn = torch.softmax(q @ k.mT / q.size(-1) ** 0.5, dim=-1)
        return self.prune(attn) @ v


def main():
    torch.manual_seed(61)
    layer = SparseAttention(4, keep=2)
    out = layer(torch.randn(2, 5, 4))
    out.pow(2).sum().backward()
    return {"out": out, "qkv": layer.qkv.weight.grad}


if __name__ == "__main__":
    main()
