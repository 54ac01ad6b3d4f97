import torch
import torch.nn as nn


class SelfBiasedAttention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.h, self.dk = heads, d // heads
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.self_bias = nn.Parameter(torch.zeros(heads, 1).normal_())
        self.out = nn.Linear(d, d)

    def forward(self, x, lengths):
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, self.dk).permute(2, 0, 3, 1, 4)
        scores = torch.matmul(q, k.transpose(-1, -2))
        scores = scores * self.dk ** -0.5
        scores = scores + torch.diag_embed(self.self_bias.expand(self.h, T))
        pad = torch.arange(T)[None] >= lengths[:, None]
        scores = scores.masked_fill(pad[:, None, None], -1e9)
        y = torch.matmul(scores.softmax(-1), v)
        return self.out(y.transpose(1, 2).reshape(B, T, D))


def main():
    torch.manual_seed(203)
    att = SelfBiasedAttention(8, 2)
    x, lengths = torch.randn(3, 5, 8), torch.tensor([5, 3, 4])
    att(x, lengths).pow(2).mean().backward()
    return {n: p.grad for n, p in att.named_parameters()}


if __name__ == "__main__":
    main()
