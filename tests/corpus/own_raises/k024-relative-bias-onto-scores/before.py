import torch
from torch import nn


class ShiftedWindow(nn.Module):
    def __init__(self, d, window):
        super().__init__()
        self.qk, self.v = nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.bias = nn.Parameter(torch.randn(2 * window - 1) * 0.1)
        offsets = torch.arange(window)[:, None] - torch.arange(window)[None]
        offsets += window - 1
        self.register_buffer("offsets", offsets, persistent=False)

    def forward(self, x, blocked=None):
        q, k = self.qk(x).chunk(2, dim=-1)
        scores = torch.matmul(q, k.transpose(1, 2))
        scores += self.bias[self.offsets]
        if blocked is not None:
            scores.masked_fill_(blocked, float("-inf"))
        probs = scores.softmax(-1)
        return torch.matmul(probs, self.v(x))


def main():
    torch.manual_seed(23)
    layer = ShiftedWindow(4, 3)
    blocked = torch.tensor([[False, False, True], [False, False, False], [True, False, False]])
    layer(torch.randn(2, 3, 4), blocked).square().mean().backward()
    return {n: p.grad.clone() for n, p in layer.named_parameters()}


if __name__ == "__main__":
    main()
