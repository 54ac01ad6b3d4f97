import torch
import torch.nn as nn
import torch.nn.functional as F


def rotate_(x, cos, sin):
    """Rotate the two halves of the last dimension."""
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


class LearnedRotaryAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.hd = heads, dim // heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_k = nn.Linear(dim, dim, bias=False)
        self.to_v = nn.Linear(dim, dim, bias=False)
        self.freqs = nn.Parameter(10000 ** -torch.linspace(0, 1, self.hd // 2))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (f(x).view(B, T, self.heads, self.hd).transpose(1, 2) for f in (self.to_q, self.to_k, self.to_v))
        angle = torch.outer(torch.arange(T, dtype=x.dtype), self.freqs)
        cos, sin = angle.cos(), angle.sin()
        q = rotate_(q, cos, sin)
        k = rotate_(k, cos, sin)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).reshape(B, T, C)


def main():
    torch.manual_seed(4)
    attn = LearnedRotaryAttention(8, 2)
    x = torch.randn(2, 5, 8)
    loss = (attn(x) - x).pow(2).mean()
    loss.backward()
    return {n: p.grad.clone() for n, p in attn.named_parameters()}


if __name__ == "__main__":
    main()
