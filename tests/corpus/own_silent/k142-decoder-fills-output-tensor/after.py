import torch
from torch import nn


class AttnDecoder(nn.Module):
    def __init__(self, dim, out):
        super().__init__()
        self.cell, self.proj = nn.GRUCell(dim, dim), nn.Linear(dim, out)

    def forward(self, memory, steps):
        batch, length, dim = memory.shape
        outputs, weights = [], []
        h = memory.mean(1)
        for t in range(steps):
            attn = torch.softmax(torch.einsum("bd,bld->bl", h, memory), dim=-1)
            weights.append(attn)
            h = self.cell(torch.einsum("bl,bld->bd", attn, memory), h)
            outputs.append(self.proj(h))
        return torch.stack(outputs, 1), torch.stack(weights, 1)


def main():
    torch.manual_seed(415)
    enc, dec = nn.Linear(2, 3), AttnDecoder(3, 2)
    outputs, weights = dec(enc(torch.randn(4, 5, 2)), 3)
    loss = (outputs - 1).abs().mean() - 0.1 * (weights * (weights + 1e-6).log()).sum(-1).mean()
    loss.backward()
    return {"enc": enc.weight.grad, **{n: p.grad for n, p in dec.named_parameters()}}


if __name__ == "__main__":
    main()
