import torch
from torch import nn, Tensor


def modulate_(h: Tensor, shift: Tensor, scale: Tensor) -> Tensor:
    return h * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)


class TimestepEmbedder(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.register_buffer("freqs", torch.logspace(0, -2, dim // 2))

    def forward(self, t: Tensor) -> Tensor:
        angle = t.unsqueeze(1) * self.freqs
        return self.mlp(torch.cat([angle.cos(), angle.sin()], dim=1))


class DiTBlock(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim, elementwise_affine=False)
        self.norm2 = nn.LayerNorm(dim, elementwise_affine=False)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(approximate="tanh"), nn.Linear(2 * dim, dim))
        self.ada = nn.Linear(dim, 6 * dim)

    def forward(self, x: Tensor, c: Tensor) -> Tensor:
        s1, g1, a1, s2, g2, a2 = self.ada(nn.functional.silu(c)).chunk(6, dim=1)
        h = modulate_(self.norm1(x), s1, g1)
        x = x + a1.unsqueeze(1) * self.attn(h, h, h, need_weights=False)[0]
        h = modulate_(self.norm2(x), s2, g2)
        return x + a2.unsqueeze(1) * self.mlp(h)


class TinyDiT(nn.Module):
    def __init__(self, dim=8, depth=2):
        super().__init__()
        self.patch = nn.Linear(4, dim)
        self.time = TimestepEmbedder(dim)
        self.blocks = nn.ModuleList(DiTBlock(dim, 2) for _ in range(depth))
        self.final = nn.Linear(dim, 4)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        h, c = self.patch(x), self.time(t)
        for block in self.blocks:
            h = block(h, c)
        return self.final(h)


def main():
    torch.manual_seed(0)
    net = TinyDiT()
    noise = torch.randn(2, 5, 4)
    nn.functional.mse_loss(net(torch.randn(2, 5, 4) + noise, torch.tensor([1.0, 7.0])), noise).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
