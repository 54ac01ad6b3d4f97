import torch
import torch.nn as nn


class MaskedAutoencoder(nn.Module):
    def __init__(self, patches: int, dim: int, ratio: float):
        super().__init__()
        self.embed, self.decode = nn.Linear(dim, 6), nn.Linear(6, dim)
        self.pos = nn.Parameter(0.1 * torch.randn(patches, 6))
        self.token = nn.Parameter(torch.zeros(6))
        self.hidden = int(patches * ratio)

    def forward(self, x, gen):
        noise = torch.rand(x.shape[:2], generator=gen)
        ids = noise.argsort(dim=1)[:, : self.hidden]
        mask = torch.zeros(x.shape[:2])
        mask.data.scatter_(1, ids, 1.0)
        keep = torch.ones_like(mask)
        keep.data[mask.bool()] = 0.0
        h = self.embed(x) * keep.unsqueeze(-1)
        h += self.token * mask.unsqueeze(-1)
        h += self.pos
        out = self.decode(torch.relu(h))
        err = (out - x).square().mean(-1)
        return (err * mask).sum() / mask.sum()


def main():
    torch.manual_seed(359)
    net = MaskedAutoencoder(6, 4, ratio=0.5)
    gen = torch.Generator().manual_seed(1)
    sum(net(x, gen) for x in torch.randn(2, 3, 6, 4)).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
