import torch
import torch.nn as nn


class Codebook(nn.Module):
    def __init__(self, k, d):
        super().__init__()
        self.register_buffer("codes", torch.randn(k, d))

    def soft_assign(self, z):
        dist = z.square().sum(1, keepdim=True) - 2 * z @ self.codes.t() + self.codes.square().sum(1)
        return (-dist).softmax(1)

    @torch.no_grad()
    def refresh(self, z, idx, rate=0.2):
        used = idx.unique()
        means = torch.stack([z[idx == u].mean(0) for u in used])
        self.codes = self.codes.index_copy(0, used, self.codes[used].lerp(means, rate))

    def forward(self, z):
        w = self.soft_assign(z)
        out = w @ self.codes
        if self.training:
            self.refresh(z, w.argmax(1))
        return out, w


def main():
    torch.manual_seed(43)
    enc, vq, dec = nn.Linear(5, 3), Codebook(4, 3), nn.Linear(3, 5)
    x = torch.randn(12, 5)
    q, w = vq(enc(x))
    loss = (dec(q) - x).square().mean() + 0.01 * (w.mean(0) * w.mean(0).log()).sum()
    loss.backward()
    return {"enc": enc.weight.grad, "dec": dec.weight.grad}


if __name__ == "__main__":
    main()
