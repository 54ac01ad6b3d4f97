import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        scores = q @ k.transpose(-1, -2)
        scores /= (d // self.heads) ** 0.5
        future = torch.ones(t, t, dtype=torch.bool).triu(1)
        scores.masked_fill_(future, float("-inf"))
        out = scores.softmax(-1) @ v
        return self.proj(out.transpose(1, 2).reshape(b, t, d))


def main():
    torch.manual_seed(14)
    att = SelfAttention(8, 2)
    x = torch.randn(2, 5, 8, requires_grad=True)
    att(x).square().sum().backward()
    return {"x": x.grad, "qkv": att.qkv.weight.grad}


if __name__ == "__main__":
    main()
