import torch
import torch.nn as nn


class WindowAttention(nn.Module):
    def __init__(self, dim, heads, window):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, 3 * dim)
        self.bias = nn.Parameter(torch.zeros(heads, window, window))
        self.proj = nn.Linear(dim, dim)

    def split_heads(self, t):
        b, n, d = t.shape
        return t.view(b, n, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q *= self.scale
        q, k, v = map(self.split_heads, (q, k, v))
        attn = (q @ k.transpose(-2, -1) + self.bias).softmax(-1)
        out = (attn @ v).transpose(1, 2).flatten(2)
        return self.proj(out)


class WindowBlock(nn.Module):
    def __init__(self, dim, heads, window):
        super().__init__()
        self.window = window
        self.norm = nn.LayerNorm(dim)
        self.attn = WindowAttention(dim, heads, window)

    def forward(self, x):
        b, n, d = x.shape
        windows = self.norm(x).view(b * n // self.window, self.window, d)
        return x + self.attn(windows).view(b, n, d)


def main():
    torch.manual_seed(45)
    net = nn.Sequential(WindowBlock(8, 2, 4), WindowBlock(8, 2, 4), nn.Linear(8, 1))
    net(torch.randn(2, 8, 8)).pow(2).mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
