import torch
import torch.nn as nn


def rope_table(T, dim, base=100.0):
    inv = base ** (-torch.arange(0, dim, 2).float() / dim)
    ang = torch.arange(T).float()[:, None] * inv[None]
    return ang.cos(), ang.sin()


def apply_rope(x, cos, sin):
    half = x.shape[-1] // 2
    x1, x2 = x[..., :half], x[..., half:]
    return torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)


class CrossAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.kv, self.proj = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)

    def forward(self, x, ctx):
        q = self.q(x)
        k, v = self.kv(ctx).split(x.shape[-1], dim=-1)
        q = apply_rope(q, *rope_table(x.shape[1], x.shape[-1]))
        att = (q @ k.transpose(1, 2)) * x.shape[-1] ** -0.5
        return self.proj(att.softmax(-1) @ v)


def main():
    torch.manual_seed(101)
    layer = CrossAttention(8)
    x, ctx = torch.randn(2, 5, 8), torch.randn(2, 3, 8)
    out = layer(x, ctx)
    out.pow(2).mean().backward()
    return {"out": out, **{n: p.grad for n, p in layer.named_parameters()}}


if __name__ == "__main__":
    main()
