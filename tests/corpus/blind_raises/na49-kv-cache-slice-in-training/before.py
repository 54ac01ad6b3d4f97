from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class LayerCache:
    keys: Tensor
    values: Tensor
    length: int = 0

    @classmethod
    def allocate(cls, batch: int, heads: int, window: int, dim: int) -> "LayerCache":
        return cls(torch.zeros(batch, heads, window, dim), torch.zeros(batch, heads, window, dim))

    def append(self, k: Tensor, v: Tensor):
        start, self.length = self.length, self.length + k.shape[2]
        self.keys[:, :, start : self.length] = k
        self.values[:, :, start : self.length] = v
        return self.keys[:, :, : self.length], self.values[:, :, : self.length]


class CachedAttention(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Tensor, cache: LayerCache) -> Tensor:
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        keys, values = cache.append(k, v)
        att = torch.matmul(q, keys.transpose(-1, -2)) / q.shape[-1] ** 0.5
        out = torch.einsum("bhqk,bhkd->bhqd", att.softmax(-1), values)
        return self.proj(out.transpose(1, 2).reshape(b, t, d))


class SlicedTransformer(nn.Module):
    """Runs a long sequence slice by slice, as a token pipeline does."""

    def __init__(self, dim=6, heads=2, depth=2, slice_len=2):
        super().__init__()
        self.layers = nn.ModuleList(CachedAttention(dim, heads) for _ in range(depth))
        self.heads, self.slice_len = heads, slice_len

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        caches = [LayerCache.allocate(b, self.heads, t, d // self.heads) for _ in self.layers]
        pieces = []
        for h in x.split(self.slice_len, dim=1):
            for layer, cache in zip(self.layers, caches):
                h = h + layer(h, cache)
            pieces.append(h)
        return torch.cat(pieces, dim=1)


def main():
    torch.manual_seed(0)
    model = SlicedTransformer()
    y = model(torch.randn(2, 6, 6))
    y.square().mean().backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
