import torch
from torch import nn


class SoftVQ(nn.Module):
    def __init__(self, codes, dim, decay=0.6):
        super().__init__()
        self.register_buffer("codebook", torch.randn(codes, dim))
        self.decay = decay

    def assign(self, z):
        return torch.softmax(z @ self.codebook.t(), dim=1)

    def forward(self, z):
        weights = self.assign(z)
        out = weights @ self.codebook
        if self.training:
            self._update(weights.detach(), z.detach())
        return out

    def _update(self, weights, z):
        means = (weights.t() @ z) / weights.sum(0).unsqueeze(1)
        for row, mean in zip(self.codebook.data, means):
            row.mul_(self.decay).add_(mean, alpha=1 - self.decay)


def main():
    torch.manual_seed(641)
    enc, vq = nn.Linear(5, 3), SoftVQ(4, 3)
    x = torch.randn(8, 5)
    recon = vq(enc(x))
    (recon - x[:, :3]).square().mean().backward()
    return {"enc": enc.weight.grad, "codebook": vq.codebook}


if __name__ == "__main__":
    main()
