import torch
import torch.nn as nn
import torch.nn.functional as F


class Augment:
    def __init__(self, gen, jitter=0.4, cut=3):
        self.gen, self.jitter, self.cut = gen, jitter, cut

    def __call__(self, img):
        img = img.clone()
        b, c, h, w = img.shape
        gain = 1 + self.jitter * (2 * torch.rand(b, c, 1, 1, generator=self.gen) - 1)
        img.mul_(gain).add_(0.05 * torch.randn(b, c, h, w, generator=self.gen))
        top = int(torch.randint(0, h - self.cut, (1,), generator=self.gen))
        img[:, :, top : top + self.cut, : self.cut] = 0.0
        return img


def nt_xent(z1, z2, tau=0.5):
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    sim = z @ z.t() / tau
    n = z1.shape[0]
    sim.fill_diagonal_(float("-inf"))
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, target)


def main():
    torch.manual_seed(123)
    aug = Augment(torch.Generator().manual_seed(5))
    enc = nn.Sequential(nn.Conv2d(3, 6, 3, stride=2), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(54, 8))
    batch = torch.rand(5, 3, 8, 8)
    v1, v2 = aug(batch), aug(batch)
    loss = nt_xent(enc(v1), enc(v2))
    loss.backward()
    return {"loss": loss, **{n: p.grad for n, p in enc.named_parameters()}}


if __name__ == "__main__":
    main()
