import torch
import torch.nn as nn


def soft_cap(scores, cap):
    return scores.div_(cap).tanh_().mul_(cap)


class GemmaStyleAttention(nn.Module):
    def __init__(self, dim, n_q=4, n_kv=2, cap=30.0):
        super().__init__()
        self.hd = dim // n_q
        self.n_q, self.n_kv, self.cap = n_q, n_kv, cap
        self.q = nn.Linear(dim, n_q * self.hd, bias=False)
        self.kv = nn.Linear(dim, 2 * n_kv * self.hd, bias=False)
        self.o = nn.Linear(n_q * self.hd, dim, bias=False)

    def forward(self, x):
        b, t, _ = x.shape
        q = self.q(x).view(b, t, self.n_q, self.hd).transpose(1, 2)
        k, v = self.kv(x).view(b, t, 2, self.n_kv, self.hd).permute(2, 0, 3, 1, 4)
        rep = self.n_q // self.n_kv
        k, v = k.repeat_interleave(rep, 1), v.repeat_interleave(rep, 1)
        scores = soft_cap(q @ k.transpose(-1, -2), self.cap)
        causal = torch.ones(t, t, dtype=torch.bool).triu_(1)
        scores = scores.masked_fill(causal, float("-inf"))
        y = scores.softmax(-1) @ v
        return self.o(y.transpose(1, 2).flatten(2))


def main():
    torch.manual_seed(30)
    attn = GemmaStyleAttention(8)
    x = 3 * torch.randn(2, 4, 8)
    attn(x).square().sum().backward()
    return {n: p.grad.clone() for n, p in attn.named_parameters()}


if __name__ == "__main__":
    main()
