import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, d, max_len):
        super().__init__()
        self.qk = nn.Linear(d, 2 * d)
        self.v = nn.Linear(d, d)
        bias = torch.full((max_len, max_len), float("-inf")).triu(1)
        self.register_buffer("bias", bias)

    def attend_bias(self, pad):
        bias = self.bias[: pad.numel(), : pad.numel()]
        return bias.masked_fill_(pad[None, :], -1e4)

    def forward(self, x, pad):
        q, k = self.qk(x).chunk(2, -1)
        s = q @ k.t() / q.size(-1) ** 0.5 + self.attend_bias(pad)
        return s.softmax(-1) @ self.v(x)


def main():
    torch.manual_seed(47)
    net = Block(4, 6)
    batches = [(torch.randn(5, 4), 3), (torch.randn(6, 4), 6), (torch.randn(4, 4), 2)]
    total = 0.0
    for x, n in batches:
        pad = torch.arange(len(x)) >= n
        y = net(x, pad)
        total = total + y[:n].square().mean()
    total.backward()
    return {"qk": net.qk.weight.grad, "v": net.v.weight.grad}


if __name__ == "__main__":
    main()
