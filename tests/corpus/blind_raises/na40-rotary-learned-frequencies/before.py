import torch
from torch import nn, Tensor


def rotate_pairs(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = even * cos - odd * sin
    x[..., 1::2] = even * sin + odd * cos
    x[..., 0::2] = turned
    return x


class LearnedRotary(nn.Module):
    def __init__(self, dim: int, base: float = 100.0):
        super().__init__()
        inv = base ** (-torch.arange(0, dim, 2).float() / dim)
        self.log_freq = nn.Parameter(inv.log())

    def tables(self, length: int) -> tuple[Tensor, Tensor]:
        angle = torch.arange(length).float().unsqueeze(1) * self.log_freq.exp()
        return angle.cos(), angle.sin()

    def forward(self, *streams: Tensor):
        cos, sin = self.tables(streams[0].shape[-2])
        return [rotate_pairs(s, cos, sin) for s in streams]


class SelfAttention(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.rotary = LearnedRotary(dim // heads)
        self.out = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = (self.qkv(x)[..., i * d : (i + 1) * d].view(b, t, self.heads, -1).transpose(1, 2) for i in range(3))
        q, k = self.rotary(q, k)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, d))


def main():
    torch.manual_seed(0)
    layer = SelfAttention(8, 2)
    y = layer(torch.randn(2, 5, 8))
    (y * torch.randn_like(y)).sum().backward()
    return {n: p.grad for n, p in layer.named_parameters()}


if __name__ == "__main__":
    main()
