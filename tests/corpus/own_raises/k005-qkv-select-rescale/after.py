import torch
import torch.nn.functional as F
from torch import nn


class MultiHead(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.scale = heads, (d // heads) ** -0.5
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)

    def forward(self, x):
        b, n, d = x.shape
        qkv = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        q = q * self.scale
        attn = F.softmax(q @ k.transpose(-1, -2), -1)
        return self.proj((attn @ v).transpose(1, 2).reshape(b, n, d))


def main():
    torch.manual_seed(4)
    mha = MultiHead(6, 3)
    mha(torch.randn(2, 4, 6)).square().mean().backward()
    return {n: p.grad.clone() for n, p in mha.named_parameters()}


if __name__ == "__main__":
    main()
